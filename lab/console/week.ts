import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { historySeriesNames } from "../../src/contract/figures/history.ts";
import { type Figures, forms, unknownBits } from "../../src/figures/history/figures.ts";
import { historyFile } from "../../src/figures/history/file-name.ts";
import { capacity, Ring, stepOf, stepSeconds } from "../../src/figures/history/ring.ts";
import { encodeRing } from "../../src/figures/history/ring-file.ts";
import { createTimers } from "../../src/host/linux/timers.ts";
import { agentEvent, type EventFacts } from "../../src/journal/events/event.ts";
import { openEventLog } from "../../src/journal/events/event-log.ts";
import { createReserve } from "../../src/store/files/reserve.ts";
import { startAgentInProcess } from "../agents/agent-in-process.ts";
import type { RunningAgent } from "../agents/running-agent.ts";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { refusal } from "../state/event-directory.ts";
import { addUsers } from "./browser.ts";

/**
 * A week of a device, in days before now: it was without power for five hours and then had a wrong clock, became hot, was
 * filled, and was restarted when its memory had run low.
 */
export const week = {
  powerLost: 5.2,
  powerBack: 5,
  clockStepped: 4.95,
  hot: 3,
  updateApplied: 3.9,
  updateUndone: 2.9,
  diskLow: 2.25,
  restarted: 1.5,
  refused: 1.2,
} as const;

const daySeconds = 86_400;

/**
 * An agent of that device, with a user of each role, whose files the stores' own code has written. `others`: figures in
 * place of that device's, so many days ago.
 */
export async function startWeekAgent(
  ending: Ending,
  nowSeconds = Date.now() / 1_000,
  others: (days: number) => Partial<Figures> = () => ({}),
): Promise<RunningAgent> {
  const stateDirectory = join(await temporaryDirectory(ending), "state");
  const first = await startAgentInProcess({ stateDirectory });
  await addUsers(first);
  await first.stop();
  await writeFile(join(stateDirectory, historyFile), encodeRing(ringOfWeek(nowSeconds, others)));
  await addEvents(join(stateDirectory, "events"), nowSeconds);
  const agent = await startAgentInProcess({ stateDirectory });
  ending.after(() => agent.dispose());
  return agent;
}

function ringOfWeek(nowSeconds: number, others: (days: number) => Partial<Figures>): Ring {
  const ring = new Ring();
  const last = stepOf(nowSeconds) - 1;
  for (let step = last - capacity + 1; step <= last; step += 1) {
    const days = (nowSeconds - step * stepSeconds) / daySeconds;
    if (days < week.powerLost && days > week.powerBack) continue;
    const [mean, worst] = ([0, 1] as const).map((worse) => ({ ...figuresAt(days, worse), ...others(days) }));
    ring.put(
      step,
      historySeriesNames.flatMap((name) => [mean, worst].map((figures) => bitsOf(name, figures ?? {}))),
    );
  }
  return ring;
}

function bitsOf(name: (typeof historySeriesNames)[number], figures: Partial<Figures>): number {
  const figure = figures[name] ?? null;
  return figure === null ? unknownBits : forms[name].toBits(figure);
}

/** The mean of some five minutes so many days ago, or the worst of them. */
function figuresAt(days: number, worse: 0 | 1): Figures {
  const wave = Math.sin((days - 0.25) * 2 * Math.PI);
  // A wave without a visible period, in place of chance, so that each run draws the same picture.
  const noise = Math.sin(days * 977) * Math.sin(days * 353);
  const isWrong = days < week.powerBack && days > week.clockStepped;
  const sinceRestart = days > week.restarted ? 7 - days : week.restarted - days;
  const heat = 22 * Math.exp(-(((days - week.hot) / 0.08) ** 2));
  return {
    clock_offset_seconds: isWrong ? 3.2 : 0.0004 * wave + 0.0003 * noise * (1 + worse),
    clock_uncertainty_seconds: isWrong ? 0.02 : 0.0021 + 0.0006 * Math.abs(noise),
    disk_used_ratio: Math.min(0.96, 0.61 + 0.02 * (7 - days) + (days < 3 ? 0.08 * (3 - days) : 0)),
    memory_used_ratio: Math.min(0.97, 0.34 + 0.1 * sinceRestart + 0.03 * Math.abs(noise) + 0.02 * worse),
    load: 0.5 + 0.25 * wave + 0.2 * Math.abs(noise) + worse * (0.3 + 0.5 * Math.abs(noise)),
    temperature_celsius: 44 + 5 * wave + noise + heat + 2 * worse,
  };
}

const release = { release_id: "r".repeat(32), kind: "rules", name: "pump-rules", version: "2.4.0" } as const;

const outcome = {
  from_version: "2.3.1",
  code: "healthy",
  detail: "It is healthy.",
  count: null,
  last_answer: null,
} as const;

/** The events of the week, the oldest first: how many days ago, and each one's facts. */
const happened: readonly (readonly [days: number, facts: EventFacts])[] = [
  [
    week.powerBack,
    agentEvent("need.began", { need: "clock", level: "attention", word: "not_in_sync", trust: "none" }),
  ],
  [week.clockStepped, agentEvent("clock.stepped", { seconds: 3.2 })],
  [
    week.clockStepped - 0.01,
    agentEvent("need.ended", { need: "clock", level: "attention", word: "not_in_sync", trust: "none" }),
  ],
  [week.updateApplied, agentEvent("update.applied", { ...release, ...outcome })],
  [
    week.updateUndone,
    agentEvent("update.undone", {
      ...{ ...release, version: "2.5.0", ...outcome, code: "not_healthy_in_time" },
      ...{ outcome: "rolled_back", restored_healthy: true },
    }),
  ],
  [week.diskLow, agentEvent("need.began", { need: "disk", level: "failing", reason: "disk_space_low" })],
  [
    week.restarted,
    {
      ...agentEvent("host.reboot_requested", { force: false }),
      actor: { kind: "local-root", id: null, name: null },
    },
  ],
];

/** Refused sign-ins, each from another address, so that each is an event. */
const refusals = 4;

async function addEvents(directory: string, nowSeconds: number): Promise<void> {
  let at = nowSeconds;
  const events = await openEventLog({
    directory,
    log: () => undefined,
    now: () => new Date(at * 1_000),
    reserve: createReserve(directory),
    timers: createTimers(),
    uptime: () => performance.now() / 1_000,
  });
  for (const [days, facts] of happened) {
    at = nowSeconds - days * daySeconds;
    await events.record(facts);
  }
  for (let count = 0; count < refusals; count += 1) {
    at = nowSeconds - week.refused * daySeconds + count * 1_800;
    events.refuse(refusal(`192.0.2.${count + 1}`), "invalid_credentials");
  }
  await events.close();
}
