import assert from "node:assert/strict";
import { codesRefused, fail, type Host, throttleAt, tried } from "../../../lab/simulated/throttle-at.ts";
import type { Throttle } from "../../../src/accounts/throttle/throttle.ts";

const clients: Readonly<Record<string, string | null>> = {
  ...{ home: "192.0.2.7", away: "198.51.100.9", device: null },
};
const addressOf = (client: string) => (client in clients ? (clients[client] ?? null) : client);

/** Twenty addresses, as attackers have that come back. */
export const stranger = (index: number) => `203.0.113.${index % 20}`;
/** Another network each time. */
export const network = (index: number) => `2001:db8:${index.toString(16)}::/64`;

/**
 * Plays what is written, one step after the other, parted by commas; NAME is a user or `token`, which has no account:
 *
 * - `NAME CLIENT fails N`: so many wrong tries, each of which may be made; `succeeds N` and `withdraws N` likewise
 * - `NAME CLIENT waits N`: a try is refused for so many seconds, or it may be made and fails (0)
 * - `N strangers at NAME`, `N networks at NAME`: so many wrong tries, each of which may be made
 * - `NAME codes wrong N`, `NAME codes wait N`, `NAME code right`
 * - `N s`: so many seconds pass
 */
export async function play(script: string, host: Host = { now: 500 }) {
  const place = await throttleAt(host);
  const more = (steps: string): void => {
    for (const step of steps.split(",")) playStep(place.throttle, host, step.trim());
  };
  more(script);
  return { ...place, host, more };
}

function playStep(throttle: Throttle, host: Host, step: string): void {
  const [first = "", second = "", third = "", fourth = "1"] = step.split(" ");
  const name = first === "token" ? null : first;
  const times = Number(fourth);
  if (second === "s") host.now += Number(first);
  else if (second === "strangers" || second === "networks") {
    const of = second === "strangers" ? stranger : network;
    for (let count = 0; count < Number(first); count += 1) fail(throttle, fourth, of(count), 1);
  } else if (second === "codes" && third === "wrong")
    for (let count = 0; count < times; count += 1) throttle.wrongCode(first);
  else if (second === "codes") assert.equal(codesRefused(throttle, first), times, step);
  else if (second === "code") throttle.rightCode(first);
  else if (third === "waits") assert.equal(tried(throttle, name, addressOf(second)), times, step);
  else {
    const settle = ({ fails: "fail", succeeds: "succeed", withdraws: "withdraw" } as const)[third];
    assert.ok(settle, `no step: ${step}`);
    for (let count = 0; count < times; count += 1)
      assert.equal(tried(throttle, name, addressOf(second), settle), 0, `${step}, ${count}`);
  }
}

/** The body of a test that is nothing but a script. */
export const plays = (script: string) => async (): Promise<void> => void (await play(script));
