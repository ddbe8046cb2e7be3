/** The time of a sign-in, and of one beside strangers who guess passwords. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { quantile } from "../basics/quantile.ts";
import { agentOf, start } from "./contestant.ts";
import { credentials, type Surroundings, signIn } from "./footprint.ts";
import { callJson } from "./requests.ts";
import { type Row, valueRow } from "./row.ts";

/** Three of them are above the 99th percentile: of a hundred it would be a single one. */
const signIns = 300;
const attackers = 16;

/**
 * One sign-in in a hundred takes longer. Passwords are hashed one at a time, and the attackers' wait in the same queue: the
 * bound is the time on a loaded machine with two processors, and says that the queue stays fair.
 */
const mostMilliseconds = 1_100;

/** Every client has an address of its own behind a trusted proxy, as strangers on a network do. */
export async function signInRows(at: Surroundings): Promise<Row[]> {
  const hostFile = join(at.directory, "behind-a-proxy.json");
  writeFileSync(hostFile, JSON.stringify({ trusted_proxies: ["127.0.0.1"] }), { mode: 0o644 });
  const agent = await start(agentOf(at.program, hostFile), at.directory, at.node);
  const logIn = (address: string, body: object) =>
    callJson(agent, "POST", "/api/auth/login", { body, headers: { "x-forwarded-for": address } });
  const measure = async (): Promise<number> => {
    const times: number[] = [];
    for (let turn = 0; turn < signIns; turn += 1) {
      const begun = performance.now();
      const { access_token, code } = await logIn("192.0.2.1", credentials);
      if (access_token === undefined) throw new Error(`a sign-in was refused: ${String(code)}`);
      times.push(performance.now() - begun);
    }
    return quantile(times, 0.99);
  };
  try {
    await signIn(agent, at);
    const quiet = await measure();
    let isOver = false;
    // Each guesses passwords of the administrator and of names that do not exist, one after another.
    const attacks = Array.from({ length: attackers }, async (_, index) => {
      for (let guess = 0; !isOver; guess += 1) {
        const username = guess % 2 === 0 ? credentials.username : `guessed-${index}-${guess}`;
        await logIn(`198.51.100.${index + 1}`, { username, password: `guess number ${guess} of them` });
      }
    });
    const attacked = await measure();
    isOver = true;
    await Promise.all(attacks);
    const what = `sign-in beside ${attackers} attackers / without, 99th percentile`;
    return [valueRow(what, "ms", [attacked, quiet], mostMilliseconds)];
  } finally {
    await agent.stop();
  }
}
