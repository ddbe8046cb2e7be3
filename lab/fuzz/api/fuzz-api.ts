import { operationIds } from "../../../src/contract/operations.ts";
import { draw, percent } from "../draw.ts";
import { type FuzzedAgent, startFuzzedAgent } from "../fuzzed-agent.ts";
import type { Ledger } from "../ledger.ts";
import type { Fuzzing } from "../target.ts";
import { Bench } from "./bench.ts";
import { createClient, type Send } from "./client.ts";
import { actInOrder, tend } from "./guided.ts";
import { difference, judgeAdministrators, judgeSecrets, type Snapshot, takeSnapshot } from "./invariants.ts";
import { actWildly } from "./wild.ts";
import { World } from "./world.ts";

/** Steps between two looks after users and rules. */
const tendEvery = 60;

/** Cases from which on every kind of caller and most operations must have had successes: else it has tried little. */
const manyCases = 5_000;

/** Requests to a real agent by everyone, in sequences that leave users, sessions and tokens of every kind behind. */
export async function fuzzApi(fuzzing: Fuzzing): Promise<number> {
  const agent = await startFuzzedAgent();
  try {
    const { bench, snapshot } = await fuzzAgent(fuzzing, createClient(agent));
    judgeReach(bench, fuzzing);
    const secrets = [
      ...bench.world.secrets(),
      ...bench.world.dead.flatMap((one) => [one.bearer, one.refresh]),
    ];
    const state = { stateDirectory: agent.stateDirectory, log: agent.log() };
    judgeSecrets(
      secrets.filter((secret) => secret !== ""),
      state,
      fuzzing.ledger,
    );
    return await endAgent(agent, snapshot, fuzzing.ledger);
  } finally {
    await agent.dispose();
  }
}

/** The steps themselves, against whatever answers. */
export async function fuzzAgent({ chance, cases, ledger }: Fuzzing, send: Send) {
  const bench = new Bench(new World(), send, ledger);
  let snapshot: Snapshot | null = null;
  for (let steps = 0; bench.requests < cases; steps += 1) {
    if (steps % tendEvery === 0) await tend(bench, chance);
    if (bench.hasChanged && percent(chance, 30)) {
      snapshot = await takeSnapshot(send);
      judgeAdministrators(snapshot, ledger);
      bench.hasChanged = false;
    }
    const isInOrder = draw(chance, 100) < 30;
    await (isInOrder ? actInOrder(bench, chance) : actWildly(bench, chance));
    // All since the last success were refused or only read, and may have changed nothing.
    if (bench.hasChanged || snapshot === null || percent(chance, 80)) continue;
    const present = await takeSnapshot(send);
    if (present.text !== snapshot.text)
      ledger.find(`no success, but ${difference(snapshot.text, present.text)}`);
    snapshot = present;
  }
  return { bench, snapshot: await takeSnapshot(send) };
}

/** A run whose requests are all refused at the door shows nothing. */
function judgeReach({ succeeded, callers, world }: Bench, { cases, ledger }: Fuzzing): void {
  ledger.note(`operations that have succeeded: ${succeeded.size} of ${operationIds.length}`);
  ledger.note(`successes of ${[...callers].map(([caller, count]) => `${caller} ${count}`).join(", ")}`);
  ledger.note(`ended credentials that were kept to be tried: ${world.dead.length}`);
  if (cases < manyCases) return;
  if (succeeded.size < operationIds.length / 2)
    ledger.find(`only ${succeeded.size} operations have succeeded`);
  for (const caller of ["root", "admin", "operator", "readonly", "API token", "anonymous"])
    if ((callers.get(caller) ?? 0) < cases / 1_000) ledger.find(`${caller} has hardly had a success`);
}

/** Stops the agent, which must begin again with what it had. Gives the MiB that it took at most. */
async function endAgent(agent: FuzzedAgent, before: Snapshot, ledger: Ledger): Promise<number> {
  const peakMiB = agent.judgeProcess(ledger);
  const code = await agent.stop();
  if (code !== 0) ledger.find(`it ended with ${code}`);
  const again = await startFuzzedAgent(agent.stateDirectory);
  try {
    const present = await takeSnapshot(createClient(again));
    if (present.text !== before.text)
      ledger.find(`after its restart ${difference(before.text, present.text)}`);
  } finally {
    await again.dispose();
  }
  return peakMiB;
}
