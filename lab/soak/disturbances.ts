import { setTimeout as delay } from "node:timers/promises";
import type { Chance } from "../basics/chance.ts";
import { draw, oneOf } from "../fuzz/draw.ts";
import { type Chronyd, startChronyd } from "../host/chronyd.ts";
import type { SoakedAgent } from "./soaked-agent.ts";
import type { Tally } from "./tally.ts";

/** Seconds between two of a kind; a run of ten minutes has some dozen of each. */
const everySeconds = { restart: 25, step: 40, flap: 20 };

/** Seconds by which the clock jumps: those beyond 30 s end access tokens, an hour and a day move limits by the calendar. */
const steps = [2, -2, 90, -90, 3_600, -3_600, 86_400, -86_400];

/** Three of them, so that a majority is left while one flaps. */
export async function startServers(): Promise<Chronyd[]> {
  const servers: Chronyd[] = [];
  for (let count = 0; count < 3; count += 1) servers.push(await startChronyd());
  return servers;
}

/** Until the signal one server after another stops, and comes back true, or three seconds ahead. Leaves none running. */
export async function flapServers(servers: Chronyd[], chance: Chance, signal: AbortSignal): Promise<number> {
  let flaps = 0;
  try {
    while (await passes(everySeconds.flap, signal)) {
      const index = draw(chance, servers.length);
      const server = servers[index];
      if (!server) continue;
      await server.stop();
      await passes(draw(chance, everySeconds.flap), signal);
      const isFalse = draw(chance, 3) === 0;
      servers[index] = await startChronyd({ port: server.port, ...(isFalse && { fakeTime: "+3s" }) });
      flaps += 1;
    }
  } finally {
    for (const server of servers) await server.stop();
  }
  return flaps;
}

/** Until the signal the agents' clocks jump. */
export async function stepClocks(
  agents: readonly SoakedAgent[],
  chance: Chance,
  signal: AbortSignal,
): Promise<number> {
  let made = 0;
  while (await passes(everySeconds.step, signal)) {
    oneOf(chance, agents).stepClock(oneOf(chance, steps));
    made += 1;
  }
  return made;
}

/** Until the signal the agent is ended, now as a service manager does it and now as a power cut, and started again. */
export async function restartAgent(
  agent: SoakedAgent,
  { chance, tally, signal }: { chance: Chance; tally: Tally; signal: AbortSignal },
): Promise<number> {
  let restarts = 0;
  while (await passes(everySeconds.restart, signal)) {
    const how = oneOf(chance, ["SIGTERM", "SIGKILL"] as const);
    const code = await agent.restart(how);
    if (how === "SIGTERM" && code !== 0)
      tally.wrong("restart", `an agent that was told to stop ended with ${code}`);
    restarts += 1;
  }
  return restarts;
}

/** False: the signal came first. */
export async function passes(seconds: number, signal: AbortSignal): Promise<boolean> {
  await delay(seconds * 1_000, undefined, { signal }).catch(() => undefined);
  return !signal.aborted;
}
