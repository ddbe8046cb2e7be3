import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caps } from "../../src/tuf/caps.ts";
import type { DelegatedRole, Targets } from "../../src/tuf/metadata.ts";
import { createTargetSearch } from "../../src/tuf/target-search.ts";

type Delegation = Partial<DelegatedRole> & { name: string };

/** A search in a tree of roles by what each delegates and signs, and the roles in the order in which they were asked for. */
function searching(
  delegates: Record<string, Delegation[]>,
  signs: Record<string, string[]> = {},
  limits = caps,
) {
  const loaded: string[] = [];
  const top = { name: "targets", keyids: [], threshold: 1, keys: {} };
  const usual = { keyids: [], threshold: 1, terminating: false };
  const load = async ({ name }: { name: string }): Promise<Targets> => {
    loaded.push(name);
    const roles = (delegates[name] ?? []).map((role) => ({
      ...usual,
      ...(role.path_hash_prefixes === undefined && { paths: ["*/*/*"] }),
      ...role,
    }));
    const file = { length: 1, hashes: { sha256: name } };
    return {
      ...{ _type: "targets", spec_version: "1.0.34", version: 1, expires: "2027-01-01T00:00:00Z" },
      targets: Object.fromEntries((signs[name] ?? []).map((path) => [path, file])),
      delegations: { keys: {}, roles },
    };
  };
  return { search: createTargetSearch(limits, load, top), loaded };
}

const found = (targets: readonly { path: string; role: string }[]): string[] =>
  targets.map(({ path, role }) => `${path} by ${role}`);

describe("find", () => {
  const [a, b, c, d] = [{ name: "a" }, { name: "b" }, { name: "c" }, { name: "d" }];
  const ab = [a, b];
  const lastA = { ...a, terminating: true };
  const lastC = { ...c, terminating: true };
  const circle = { targets: [a], a: [b], b: [a, { name: "targets" }] };
  /** The delegations of each role, those that sign for the path, the roles asked for in order, and who is found. */
  for (const [what, tree, signing, asked, role = null] of [
    ["goes depth first, in the order of delegations", { targets: ab, a: [c, d] }, "", "targets a c d b"],
    ["asks no role behind a terminating one", { targets: [lastA, b] }, "b", "targets a"],
    // TUF §5.6.7.2.1: the whole search ends there, not the role's own part of it.
    ["asks none behind a nested one, in no branch", { targets: ab, a: [lastC, d] }, "b d", "targets a c"],
    ["takes the first role that signs, and names it", { targets: ab }, "a b", "targets a", "a"],
    ["comes to an end in a circle", circle, "", "targets a b"],
  ] as [string, Record<string, Delegation[]>, string, string, string?][])
    it(what, async () => {
      const signs = Object.fromEntries(signing.split(" ").map((name) => [name, ["x/y/z"]]));
      const { search, loaded } = searching(tree, signs);
      assert.deepEqual([(await search.find("x/y/z"))?.role ?? null, loaded.join(" ")], [role, asked]);
    });

  const paths = (count: number) => Array.from({ length: count }, (_, index) => `x/${index}/*`);
  const by = (count: number, name = "a"): Delegation => ({ name, paths: paths(count) });
  const through = (count: number): Delegation => ({ name: "a", paths: ["*/*/*", ...paths(count - 1)] });
  const prefixed = (count: number): Delegation => ({
    name: "a",
    path_hash_prefixes: Array(count).fill("00"),
  });
  const six = Array.from({ length: 6 }, (_, index) => ({ name: `r${index}` }));
  /** The cap, and delegations by level, the first of which delegates to the next: at the cap, and one more. */
  for (const [what, limit, taken, refused] of [
    ["more roles", { delegatedRoles: 5 }, [six.slice(1)], [six]],
    ["roles deeper", { delegationDepth: 3 }, [[a], [b], [c]], [[a], [b], [c], [d]]],
    ["more patterns of one role", { delegationPatterns: 4 }, [[by(4)]], [[by(5)]]],
    ["more hash prefixes of one role", { delegationPatterns: 4 }, [[prefixed(4)]], [[prefixed(5)]]],
    [
      "more roles without patterns",
      { delegationPatterns: 4 },
      [[by(3), by(0, "b")]],
      [[by(3), by(0, "b"), by(0, "c")]],
    ],
    [
      "more patterns below others",
      { delegationPatterns: 4 },
      [[through(2)], [by(2, "b")]],
      [[through(3)], [by(2, "b")]],
    ],
  ] as [string, Partial<typeof caps>, Delegation[][], Delegation[][]][])
    it(`refuses ${what} than the cap`, async () => {
      const search = (levels: Delegation[][]) => {
        const delegators = ["targets", ...levels.map(([first]) => first?.name ?? "")];
        const tree = Object.fromEntries(levels.map((level, index) => [delegators[index] ?? "", level]));
        return searching(tree, {}, { ...caps, ...limit }).search;
      };
      assert.equal(await search(taken).find("x/y/z"), null);
      await assert.rejects(search(refused).find("x/y/z"), { code: "update_limit_exceeded" });
    });

  it("refuses more patterns than the cap in a listing too", async () => {
    const limits = { ...caps, delegationPatterns: 4 };
    const listing = (count: number) =>
      searching({ targets: [{ name: "a", paths: ["x/y/*", ...paths(count - 1)] }] }, {}, limits).search.list(
        "x",
        "y",
      );
    assert.deepEqual(await listing(4), []);
    await assert.rejects(listing(5), { code: "update_limit_exceeded" });
  });
});

describe("list", () => {
  it("finds what each role may sign for and was given, also behind a terminating one", async () => {
    const a = { name: "a", terminating: true, paths: ["stable/rules/a*"] };
    const b = { name: "b", paths: ["stable/rules/b*"] };
    const signs = { a: ["stable/rules/a1", "stable/rules/other"], b: ["stable/rules/b1", "beta/rules/b2"] };
    const { search } = searching({ targets: [a, b] }, signs);
    const expected = ["stable/rules/a1 by a", "stable/rules/b1 by b"];
    assert.deepEqual(found(await search.list("stable", "rules")), expected);
  });

  it("loads no role that cannot hold the wanted, each other one once, and knows what these name elsewhere", async () => {
    const kinds = ["rules", "binary"].map((name) => ({ name, paths: [`*/${name}/*`] }));
    const others = ["beta/rules/b", "beta/binary/not-its-own", "stable"];
    const rules = ["stable/rules/a", "stable/rules/c", ...others];
    const { search, loaded } = searching({ targets: kinds }, { rules, binary: ["beta/binary/c"] });
    assert.deepEqual(search.elsewhere(), []);
    assert.equal((await search.list("stable", "rules")).length, 2);
    assert.deepEqual(loaded, ["targets", "rules"]);
    assert.deepEqual(found(search.elsewhere()), ["beta/rules/b by rules"]);
  });

  it("knows no more than 256 targets elsewhere", async () => {
    const { search } = searching(
      {},
      { targets: Array.from({ length: 400 }, (_, index) => `beta/rules/${index}`) },
    );
    await search.list("stable", "rules");
    assert.equal(search.elsewhere().length, 256);
  });
});
