import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { caps } from "../../src/tuf/caps.ts";
import type { DelegatedRole, Targets } from "../../src/tuf/metadata.ts";
import type { Signers } from "../../src/tuf/signatures.ts";
import { createTargetSearch } from "../../src/tuf/target-search.ts";

type Delegation = Partial<DelegatedRole> & { name: string };
type Tree = Record<string, { delegates?: Delegation[]; signs?: string[] }>;

const top: Signers = { name: "targets", keyids: [], threshold: 1, keys: {} };

/** A search in a tree of roles, with the roles in the order in which they were asked for. */
function searching(tree: Tree, limits = caps) {
  const loaded: string[] = [];
  const search = createTargetSearch(
    limits,
    async ({ name }) => {
      loaded.push(name);
      const { delegates, signs = [] } = tree[name] ?? {};
      const file = { length: 1, hashes: { sha256: name } };
      const roles = delegates?.map((role) => ({
        keyids: [],
        threshold: 1,
        terminating: false,
        ...(role.path_hash_prefixes === undefined && { paths: ["*/*/*"] }),
        ...role,
      }));
      const targets: Targets = {
        _type: "targets",
        spec_version: "1.0.34",
        version: 1,
        expires: "2027-01-01T00:00:00Z",
        targets: Object.fromEntries(signs.map((path) => [path, file])),
        ...(roles && { delegations: { keys: {}, roles } }),
      };
      return targets;
    },
    top,
  );
  return { search, loaded };
}

describe("elsewhere", () => {
  it("is what the roles that a listing has read name under other channels, of its kind", async () => {
    const { search, loaded } = searching({
      targets: {
        delegates: [
          { name: "rules", paths: ["*/rules/*"] },
          { name: "binary", paths: ["*/binary/*"] },
        ],
      },
      rules: { signs: ["stable/rules/a", "beta/rules/b", "beta/binary/not-its-own", "stable"] },
      binary: { signs: ["beta/binary/c"] },
    });
    assert.deepEqual(search.elsewhere(), []);
    await search.list("stable", "rules");
    const paths = search.elsewhere().map(({ path, role }) => [path, role]);
    assert.deepEqual(paths, [["beta/rules/b", "rules"]]);
    assert.ok(!loaded.includes("binary"), "a role was read for it");
  });

  it("is no more than 256 targets", async () => {
    const signs = Array.from({ length: 400 }, (_, index) => `beta/rules/${index}`);
    const { search } = searching({ targets: { signs } });
    await search.list("stable", "rules");
    assert.equal(search.elsewhere().length, 256);
  });
});

describe("find", () => {
  /** The delegations of each role, those that sign for the path, the roles asked for in order, and who is found. */
  const rows: [what: string, tree: Record<string, Delegation[]>, signing: string, asked: string, string?][] =
    [
      [
        "goes depth first, in the order of the delegations",
        { targets: [{ name: "a" }, { name: "b" }], a: [{ name: "c" }, { name: "d" }] },
        ...(["", "targets a c d b"] as const),
      ],
      [
        "asks no role behind a terminating delegation",
        { targets: [{ name: "a", terminating: true }, { name: "b" }] },
        ...(["b", "targets a"] as const),
      ],
      [
        // TUF §5.6.7.2.1: the whole search ends there, not the role's own part of it.
        "asks no role behind a nested terminating delegation, nor its delegator's neighbours",
        { targets: [{ name: "a" }, { name: "b" }], a: [{ name: "c", terminating: true }, { name: "d" }] },
        ...(["b d", "targets a c"] as const),
      ],
      [
        "takes the first role that signs for a path, and names it",
        { targets: [{ name: "a" }, { name: "b" }] },
        ...(["a b", "targets a", "a"] as const),
      ],
      [
        "comes to an end where roles delegate in a circle",
        { targets: [{ name: "a" }], a: [{ name: "b" }], b: [{ name: "a" }, { name: "targets" }] },
        ...(["", "targets a b"] as const),
      ],
    ];
  for (const [what, tree, signing, asked, role = null] of rows)
    it(what, async () => {
      const own = (name: string) => (signing.split(" ").includes(name) ? { signs: ["x/y/z"] } : {});
      const names = [...new Set([...Object.keys(tree), ...signing.split(" ")])];
      const { search, loaded } = searching(
        Object.fromEntries(
          names.map((name) => [name, { ...(tree[name] && { delegates: tree[name] }), ...own(name) }]),
        ),
      );
      assert.equal((await search.find("x/y/z"))?.role ?? null, role);
      assert.equal(loaded.join(" "), asked);
    });

  it("refuses a repository that delegates to more roles than the cap", async () => {
    const delegates = Array.from({ length: 6 }, (_, index) => ({ name: `r${index}` }));
    const limits = { ...caps, delegatedRoles: 5 };
    await assert.rejects(searching({ targets: { delegates } }, limits).search.find("x/y/z"), {
      code: "update_limit_exceeded",
    });
    const { search } = searching({ targets: { delegates: delegates.slice(1) } }, limits);
    assert.equal(await search.find("x/y/z"), null);
  });

  it("refuses a repository that delegates deeper than the cap", async () => {
    const chain = (depth: number): Tree =>
      Object.fromEntries(
        Array.from({ length: depth }, (_, index) => [
          index === 0 ? "targets" : `r${index}`,
          { delegates: [{ name: `r${index + 1}` }] },
        ]),
      );
    const limits = { ...caps, delegationDepth: 3 };
    await assert.rejects(searching(chain(4), limits).search.find("x/y/z"), { code: "update_limit_exceeded" });
    assert.equal(await searching(chain(3), limits).search.find("x/y/z"), null);
  });

  describe("in a repository that delegates by more than 4 patterns, the cap", () => {
    const limits = { ...caps, delegationPatterns: 4 };
    const paths = (count: number) => Array.from({ length: count }, (_, index) => `x/${index}/*`);
    const prefixes = (count: number) => Array.from({ length: count }, (_, index) => `0${index}`);
    const [a, b, c] = [{ name: "a" }, { name: "b", paths: [] }, { name: "c", paths: [] }];
    const rows: [what: string, taken: Delegation[] | null, refused: Delegation[], below?: Delegation[]][] = [
      ["the paths of one role", [{ ...a, paths: paths(4) }], [{ ...a, paths: paths(5) }]],
      [
        "the hash prefixes of one role",
        [{ ...a, path_hash_prefixes: prefixes(4) }],
        [{ ...a, path_hash_prefixes: prefixes(5) }],
      ],
      [
        "those of several roles, where one without patterns counts too",
        [{ ...a, paths: paths(3) }, b],
        [{ ...a, paths: paths(3) }, b, c],
      ],
      [
        "those of roles below others",
        null,
        [{ ...a, paths: ["*/*/*", ...paths(2)] }],
        [{ ...b, paths: paths(2) }],
      ],
    ];
    for (const [what, taken, refused, below = []] of rows)
      it(`refuses it, by ${what}`, async () => {
        const found = (delegates: Delegation[]) =>
          searching({ targets: { delegates }, a: { delegates: below } }, limits).search.find("x/y/z");
        if (taken) assert.equal(await found(taken), null);
        await assert.rejects(found(refused), { code: "update_limit_exceeded" });
      });

    it("refuses it in a listing too", async () => {
      const listing = (count: number) => {
        const delegates = [{ ...a, paths: ["x/y/*", ...paths(count - 1)] }];
        return searching({ targets: { delegates } }, limits).search.list("x", "y");
      };
      assert.deepEqual(await listing(4), []);
      await assert.rejects(listing(5), { code: "update_limit_exceeded" });
    });
  });
});

describe("list", () => {
  it("finds what each role may sign for, also behind a terminating one", async () => {
    const { search } = searching({
      targets: {
        delegates: [
          { name: "a", terminating: true, paths: ["stable/rules/a*"] },
          { name: "b", paths: ["stable/rules/b*"] },
        ],
      },
      a: { signs: ["stable/rules/a1"] },
      b: { signs: ["stable/rules/b1", "beta/rules/b2"] },
    });
    const found = await search.list("stable", "rules");
    const paths = found.map(({ path, role }) => [path, role]);
    assert.deepEqual(paths, [
      ["stable/rules/a1", "a"],
      ["stable/rules/b1", "b"],
    ]);
  });

  it("leaves out what a role names and was never given to sign for", async () => {
    const { search } = searching({
      targets: { delegates: [{ name: "rules", paths: ["*/rules/base*"] }] },
      rules: { signs: ["stable/rules/other", "stable/rules/base"] },
    });
    const found = await search.list("stable", "rules");
    const paths = found.map(({ path }) => path);
    assert.deepEqual(paths, ["stable/rules/base"]);
  });

  it("loads no role that cannot hold the wanted target, and each other one once", async () => {
    const { search, loaded } = searching({
      targets: {
        delegates: [
          { name: "rules", paths: ["*/rules/*"] },
          { name: "binary", paths: ["*/binary/*"] },
        ],
      },
      rules: { signs: ["stable/rules/a", "stable/rules/b", "stable/rules/c"] },
    });
    assert.equal((await search.list("stable", "rules")).length, 3);
    assert.deepEqual(loaded, ["targets", "rules"]);
  });
});
