import assert from "node:assert/strict";
import type { Ending } from "../../../lab/basics/ending.ts";
import { type Lab, startLab, withstands } from "../../../lab/devices/updating-device.ts";
import type { LabTargets } from "../../../lab/publisher/signed-forms.ts";
import type { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSigningKey, type SigningKey } from "../../../lab/publisher/signing-key.ts";

export const roles = ["timestamp", "snapshot", "targets", "rules"] as const;
export type Role = (typeof roles)[number];

/** The roles that are verified and kept before the role's own file is read. */
export const keptBefore = (role: string): string[] => roles.slice(0, roles.indexOf(role as Role));

/** The end of `withstands`, and the words of the refusal. */
type Expected = Parameters<typeof withstands>[1] & { readonly words?: RegExp };

/** The whole of an attack from a role's file on, where a search for rules has to come to it. */
export const refusedAt = (role: string, code = "update_signature_invalid"): Expected => ({
  ...{ code, moved: keptBefore(role), search: true },
});

export type Change = (evil: SignedRepository, lab: Lab) => unknown;

/**
 * A device whose server is in an attacker's hands. These have the publisher's repository with all keys, or with those
 * that `change` leaves them, and serve what it makes of that, or the files that it gives back.
 */
export async function attacked(
  test: Ending,
  expected: Expected | string,
  change: Change,
  options: Parameters<typeof startLab>[1] = {},
): Promise<void> {
  const lab = await startLab(test, options);
  const evil = lab.repository.fork();
  const files = await change(evil, lab);
  lab.server.files = files instanceof Map ? files : evil.files;
  const { words = /./, ...ending } = typeof expected === "string" ? { code: expected } : expected;
  assert.match((await withstands(lab, ending)).message, words);
}

export function keyOf({ keys }: SignedRepository, role: string): SigningKey {
  const [key] = keys[role] ?? [];
  return key ?? assert.fail(`the lab has no key for ${role}`);
}

/** The signed part of a role's metadata, to be changed before it is published. */
export function signedOf(evil: SignedRepository, role: string) {
  const { timestamp, snapshot, targets, delegated } = evil;
  const own: Record<string, { version: number }> = { timestamp, snapshot, targets };
  return own[role] ?? delegated[role] ?? assert.fail(`the lab has no ${role}`);
}

/** The metadata of this delegated role delegate to others, which its own key signs. */
export function delegateFrom(
  repository: SignedRepository,
  role: string,
  to: readonly { name: string; paths: string[] }[],
): { key: SigningKey; signed: LabTargets } {
  const key = keyOf(repository, role);
  const signed = repository.delegated[role] ?? assert.fail(`the lab has no ${role}`);
  const roles = to.map((one) => ({ keyids: [key.id], threshold: 1, terminating: false, ...one }));
  signed.delegations = { keys: { [key.id]: key.object }, roles };
  return { key, signed };
}

/** One of the role's keys is replaced, and the others stay. */
export function replaceKey(repository: SignedRepository, role: string): void {
  repository.keys[role] = [...(repository.keys[role] ?? []).slice(0, -1), createSigningKey()];
  repository.publishRoot();
}
