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
  const last = { terminating: true };
  /** The delegations of each role, those that sign for the path, the roles asked for in order, and who is found. */
  for (const [what, tree, signing, asked, role] of [
    [
      "goes depth first, in the order of the delegations",
      { targets: [a, b], a: [c, d] },
      "",
      "targets a c d b",
      null,
    ],
    [
      "asks no role behind a terminating delegation",
      { targets: [{ ...a, ...last }, b] },
      "b",
      "targets a",
      null,
    ],
    [
      // TUF §5.6.7.2.1: the whole search ends there, not the role's own part of it.
      "asks no role behind a nested terminating delegation, nor its delegator's neighbours",
      { targets: [a, b], a: [{ ...c, ...last }, d] },
      ...(["b d", "targets a c", null] as const),
    ],
    [
      "takes the first role that signs for a path, and names it",
      { targets: [a, b] },
      "a b",
      "targets a",
      "a",
    ],
    [
      "comes to an end in a circle",
      { targets: [a], a: [b], b: [a, { name: "targets" }] },
      "",
      "targets a b",
      null,
    ],
  ] as const)
    it(what, async () => {
      const signs = Object.fromEntries(signing.split(" ").map((name) => [name, ["x/y/z"]]));
      const { search, loaded } = searching(tree as unknown as Record<string, Delegation[]>, signs);
      assert.equal((await search.find("x/y/z"))?.role ?? null, role);
      assert.equal(loaded.join(" "), asked);
    });

  const many = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const paths = (count: number) => many(count).map((index) => `x/${index}/*`);
  const rows: [what: string, limit: Partial<typeof caps>, taken: Delegation[][], refused: Delegation[][]][] =
    [
      [
        "more roles than the cap",
        { delegatedRoles: 5 },
        [many(5).map((index) => ({ name: `r${index}` }))],
        [many(6).map((index) => ({ name: `r${index}` }))],
      ],
      ["roles deeper than the cap", { delegationDepth: 3 }, [[a], [b], [c]], [[a], [b], [c], [d]]],
      [
        "more patterns than the cap, in the paths of one role",
        { delegationPatterns: 4 },
        [[{ ...a, paths: paths(4) }]],
        [[{ ...a, paths: paths(5) }]],
      ],
      [
        "more patterns than the cap, in the hash prefixes of one role",
        { delegationPatterns: 4 },
        [[{ ...a, path_hash_prefixes: ["00", "01", "02", "03"] }]],
        [[{ ...a, path_hash_prefixes: ["00", "01", "02", "03", "04"] }]],
      ],
      [
        "more patterns than the cap, in several roles, where one without patterns counts too",
        { delegationPatterns: 4 },
        [
          [
            { ...a, paths: paths(3) },
            { ...b, paths: [] },
          ],
        ],
        [
          [
            { ...a, paths: paths(3) },
            { ...b, paths: [] },
            { ...c, paths: [] },
          ],
        ],
      ],
      [
        "more patterns than the cap, in roles below others",
        { delegationPatterns: 4 },
        [[{ ...a, paths: ["*/*/*", ...paths(1)] }], [{ ...b, paths: paths(2) }]],
        [[{ ...a, paths: ["*/*/*", ...paths(2)] }], [{ ...b, paths: paths(2) }]],
      ],
    ];
  for (const [what, limit, taken, refused] of rows)
    it(`refuses ${what}`, async () => {
      /** The first of each level delegates to the next. */
      const search = (levels: Delegation[][]) => {
        const delegators = ["targets", ...levels.map(([first]) => first?.name ?? "")];
        const tree = Object.fromEntries(levels.map((level, index) => [delegators[index] ?? "", level]));
        return searching(tree, {}, { ...caps, ...limit }).search;
      };
      assert.equal(await search(taken).find("x/y/z"), null);
      await assert.rejects(search(refused).find("x/y/z"), { code: "update_limit_exceeded" });
    });

  it("refuses more patterns than the cap in a listing too", async () => {
    const listing = (count: number) =>
      searching(
        { targets: [{ ...a, paths: ["x/y/*", ...paths(count - 1)] }] },
        {},
        { ...caps, delegationPatterns: 4 },
      ).search.list("x", "y");
    assert.deepEqual(await listing(4), []);
    await assert.rejects(listing(5), { code: "update_limit_exceeded" });
  });
});

describe("list", () => {
  const kinds = [
    { name: "rules", paths: ["*/rules/*"] },
    { name: "binary", paths: ["*/binary/*"] },
  ];

  it("finds what each role may sign for and was given, also behind a terminating one", async () => {
    const { search } = searching(
      {
        targets: [
          { name: "a", terminating: true, paths: ["stable/rules/a*"] },
          { name: "b", paths: ["stable/rules/b*"] },
        ],
      },
      { a: ["stable/rules/a1", "stable/rules/other"], b: ["stable/rules/b1", "beta/rules/b2"] },
    );
    assert.deepEqual(found(await search.list("stable", "rules")), [
      "stable/rules/a1 by a",
      "stable/rules/b1 by b",
    ]);
  });

  it("loads no role that cannot hold the wanted, each other one once, and knows what these name elsewhere", async () => {
    const { search, loaded } = searching(
      { targets: kinds },
      {
        rules: ["stable/rules/a", "stable/rules/c", "beta/rules/b", "beta/binary/not-its-own", "stable"],
        binary: ["beta/binary/c"],
      },
    );
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
