import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { timeSettings, untilStatus } from "./clock-scenario.ts";

const [liars, honest] = [
  [11_123, 11_124],
  [11_125, 11_126, 11_127],
];
const names = [...liars, ...honest].map((port) => `10.0.2.2:${port}`);

/** Three of five servers are silent at the start, and the two that answer give the same wrong time. */
export const scenario: TieredScenario = {
  title: "two servers of five are no majority, and the clock that is not set says why",
  tiers: { container: {} },
  timeoutSeconds: 400,
  servers: liars.map((port) => ({ port, fakeTime: "+40s" })),
  files: timeSettings({ servers: names }),
  asks: {
    "start the honest servers": ({ servers }) => Promise.all(honest.map((port) => servers.start({ port }))),
    "stop all servers": ({ servers }) => servers.stopAll(),
  },
  boots: [{ run: asking }],
};

async function asking(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const alone = await untilStatus(guest, "the two have been asked", 60, ({ trust, sources }) => {
    const answered = sources.filter(({ reach }: { reach: number }) => reach > 0);
    return answered.length >= 2 && trust !== "none";
  });
  guest.check("two of five are accepted, not trusted", alone.trust === "accepted", alone);
  guest.check("the sentence gives the numbers", /2 of 5/.test(alone.summary.detail), alone.summary);
  const shown = await guest.steward("time", "status");
  guest.check("and so does steward time status", /2 of 5/.test(shown.stdout), shown);
  await guest.ask("start the honest servers");
  await guest.steward("time", "reselect");
  // The clock has followed the two by 40 s, and another step takes three polls in a row, 64 s apart (docs/design/trusted-time.md,
  // rule 13).
  const whole = await untilStatus(
    guest,
    "the honest are the majority",
    180,
    ({ trust }) => trust === "trusted",
  );
  const falsetickers = whole.sources.filter(({ state }: { state: string }) => state === "falseticker");
  guest.check("with three honest ones the two are falsetickers", falsetickers.length === 2, whole.sources);
  await unset(guest);
}

/** Puzzle: the clock is not set. One command has the answer. */
async function unset(guest: Guest): Promise<void> {
  await guest.ask("stop all servers");
  await guest.run("systemctl", ["restart", "steward.service"]);
  await guest.stewardAnswers();
  await untilStatus(guest, "no server has answered", 90, ({ trust, sources }) => {
    return trust === "none" && sources.length === names.length;
  });
  const said = await guest.steward("time", "status");
  guest.check("steward time status ends with 9 while the clock is not synchronised", said.status === 9, said);
  const isNamed = names.every((name) => said.stdout.includes(name)) && /unreachable|answer/.test(said.stdout);
  guest.check("and names each server that does not answer", isNamed, said.stdout);
  guest.note(said.stdout.split("\n")[0] ?? "");
}
