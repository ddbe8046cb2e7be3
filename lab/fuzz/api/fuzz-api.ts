import type { Answer } from "../../agents/running-agent.ts";
import type { Chance } from "../../basics/chance.ts";
import { draw, percent } from "../draw.ts";
import { Bench } from "./bench.ts";
import type { Send } from "./client.ts";
import { actInOrder, tend } from "./walks.ts";
import { actWildly } from "./wild.ts";

/** Steps between two looks after users and rules. */
const tendEvery = 60;

/** Findings after which a run ends: more say no more. */
const mostFindings = 20;

/** So many requests by everyone, in sequences that leave users, sessions and tokens of every kind behind. */
export async function fuzzAgent(chance: Chance, requests: number, send: Send) {
  const bench = new Bench(send);
  let snapshot: Awaited<ReturnType<typeof takeSnapshot>> | null = null;
  for (let steps = 0; bench.requests < requests && bench.findings.length < mostFindings; steps += 1) {
    if (steps % tendEvery === 0) await tend(bench, chance);
    if (bench.hasChanged && percent(chance, 30)) {
      snapshot = await takeSnapshot(send);
      if (!snapshot.users.some(({ role, enabled }) => role === "admin" && enabled))
        bench.find("there is no administrator who may sign in");
      bench.hasChanged = false;
    }
    await (draw(chance, 100) < 30 ? actInOrder : actWildly)(bench, chance);
    // All since the last success were refused or only read, and may have changed nothing.
    if (bench.hasChanged || snapshot === null || percent(chance, 80)) continue;
    const present = await takeSnapshot(send);
    if (present.text !== snapshot.text)
      bench.find(`no success, but ${difference(snapshot.text, present.text)}`);
    snapshot = present;
  }
  return { bench, snapshot: await takeSnapshot(send) };
}

const volatile = /^(locked|last_login_at|last_used_at|last_used_from|recovery_codes_remaining|is_expired)$/;

/** Users, tokens and settings as root sees them, without what a refused request may change: locks, times of use. */
export async function takeSnapshot(send: Send) {
  const paths = ["/api/users?limit=200", "/api/tokens?limit=200", "/api/system", "/api/system/host"];
  const read = async (path: string) => (await send({ method: "GET", path, isLocal: true })).json;
  const [users, tokens, settings, host] = await Promise.all(paths.map(read));
  const lasting = { users: users.items, tokens: tokens.items, settings, host };
  const text = JSON.stringify(lasting, (name, value) => (volatile.test(name) ? undefined : value));
  return { text, users: users.items as readonly Answer["json"][] };
}

/** The place where two texts part. */
function difference(before: string, after: string): string {
  const at = [...before].findIndex((letter, index) => letter !== after[index]);
  const [was, is] = [before, after].map((text) => text.slice(Math.max(0, at - 60), at + 60));
  return `…${was}… became …${is}…`;
}
