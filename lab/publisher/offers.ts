import { createHash } from "node:crypto";
import type { FoundTarget } from "../../src/tuf/client.ts";

export type Custom = Record<string, unknown>;

/** The members that a publisher signs of a release of rules, with overrides; `undefined` leaves a member out. */
export function customOf(overrides: Custom = {}): Custom {
  const custom: Custom = {
    steward: 1,
    kind: "rules",
    name: "base",
    version: "1.0.0",
    channel: "stable",
    product: "demo",
    arch: "any",
    ...overrides,
  };
  return Object.fromEntries(Object.entries(custom).filter(([, value]) => value !== undefined));
}

/** A target as a repository lists it, under the path that its custom speaks of. */
export function offer(overrides: Custom = {}, path?: string): FoundTarget {
  const custom = customOf(overrides);
  const own = `${custom.channel}/${custom.kind}/${custom.name}-${custom.version}.tar.gz`;
  const sha512 = createHash("sha512").update(JSON.stringify(custom)).digest("hex");
  return { path: path ?? own, role: "rules", file: { length: 1_000, hashes: { sha512 }, custom } };
}
