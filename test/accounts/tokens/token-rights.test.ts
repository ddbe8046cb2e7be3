import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { nextEndOf } from "../../../src/accounts/tokens/token-ends.ts";
import {
  foreignScopes,
  isAllowedFrom,
  noEnd,
  rightsFaults,
  sourceFault,
  type TokenRights,
} from "../../../src/accounts/tokens/token-rights.ts";

const plain: TokenRights = { scopes: ["system:read"], sources: [], is_fleet: false };

describe("the rights of a token", () => {
  it("name the scopes that the role of its owner has not", () => {
    assert.deepEqual(foreignScopes(["system:read", "updates:apply", "users:read"], "operator"), [
      "updates:apply",
      "users:read",
    ]);
    assert.deepEqual(foreignScopes(["updates:apply"], "admin"), []);
  });
});

describe("the addresses that a token counts from", () => {
  const isAllowed = (sources: readonly string[], address: string): boolean =>
    isAllowedFrom({ sources }, address);

  it("are all, the unix socket too, where no range is named", () => {
    for (const address of ["192.0.2.1", "2001:db8::1", "local"]) assert.ok(isAllowed([], address), address);
  });

  /** The first and the last address of each range, and their neighbours (RFC 4632 §3.1, RFC 4291 §2.3). */
  const ranges: readonly [range: string, inside: readonly string[], outside: readonly string[]][] = [
    ["203.0.113.0/24", ["203.0.113.0", "203.0.113.255"], ["203.0.112.255", "203.0.114.0"]],
    ["203.0.113.8/29", ["203.0.113.8", "203.0.113.15"], ["203.0.113.7", "203.0.113.16"]],
    ["203.0.113.7", ["203.0.113.7"], ["203.0.113.6", "203.0.113.8"]],
    [
      "2001:db8:7::/48",
      ["2001:db8:7::", "2001:db8:7:ffff:ffff:ffff:ffff:ffff"],
      ["2001:db8:6:ffff:ffff:ffff:ffff:ffff", "2001:db8:8::"],
    ],
    ["2001:db8::5", ["2001:db8::5"], ["2001:db8::4", "2001:db8::6"]],
    // In its notation it would contain every IPv4 address, mapped into IPv6.
    ["::/80", ["::1", "::ffff:ffff:ffff"], ["192.0.2.1", "::1:0:0:0"]],
  ];
  for (const [range, inside, outside] of ranges) {
    it(`are those of ${range}, from the first to the last`, () => {
      for (const address of inside) assert.equal(isAllowed([range], address), true, address);
      for (const address of [...outside, "local", ""])
        assert.equal(isAllowed([range], address), false, address);
    });
  }

  it("are those of any of its ranges", () => {
    const sources = ["192.0.2.0/24", "2001:db8::/32", "198.51.100.9"];
    for (const address of ["192.0.2.9", "2001:db8::9", "198.51.100.9"])
      assert.ok(isAllowed(sources, address));
    assert.ok(!isAllowed(sources, "198.51.100.8"));
  });
});

describe("a source range", () => {
  it("is an address or a range of CIDR", () => {
    for (const source of [
      ...["192.0.2.1", "192.0.2.0/24", "192.0.2.1/32", "128.0.0.0/1"],
      ...["2001:db8::", "2001:db8::/32", "2001:db8::ffff:1", "2001:db8::1/128", "8000::/1"],
    ])
      assert.equal(sourceFault(source), null, source);
  });

  const faults: readonly [fault: RegExp, sources: readonly string[]][] = [
    [/neither an address nor a CIDR range/, ["", "/24", "device", "192.0.2", "192.0.2.0/", "192.0.2.0/24/8"]],
    [
      /neither an address nor a CIDR range/,
      ["192.0.2.0/x", "192.0.2.0/0024", "192.0.2.0/-1", " 192.0.2.0/24"],
    ],
    [/no zone/, ["fe80::1%eth0", "fe80::%1/64"]],
    [/as an IPv4 range/, ["::ffff:192.0.2.1", "::ffff:192.0.2.0/120", "::FFFF:c000:201"]],
    [/too long a prefix/, ["192.0.2.0/33", "192.0.2.0/128", "2001:db8::/129", "2001:db8::/999"]],
    [/write 10\.0\.0\.0\/8 for the range, or 10\.0\.0\.5 for the address$/, ["10.0.0.5/8"]],
    [/write 192\.0\.2\.8\/29 for the range, or 192\.0\.2\.9 for/, ["192.0.2.9/29"]],
    [/write 2001:db8::\/33 for the range, or 2001:DB8::0:5 for/, ["2001:DB8::0:5/33"]],
    [/write 64:ff9b::a00:0\/112 for the range, or 64:ff9b::10\.0\.0\.1 for/, ["64:ff9b::10.0.0.1/112"]],
    [/any address/, ["0.0.0.0/0", "::/0", "192.0.2.0/0"]],
  ];
  for (const [fault, sources] of faults)
    it(`is refused: ${fault.source}, such as ${sources.at(-1)}`, () => {
      for (const source of sources) assert.match(sourceFault(source) ?? "none", fault, source);
    });
});

describe("the rights that root gives a token", () => {
  const admin = { username: "ana", role: "admin" };
  const fleet: TokenRights = { ...plain, sources: ["192.0.2.0/24"], is_fleet: true };
  const faultsOf = (rights: TokenRights, owner: typeof admin | undefined = admin, hasNoEnd = false) =>
    rightsFaults(rights, owner, hasNoEnd).map(({ member, detail }) => `${member} ${detail}`);

  it("are none too many for a plain token, for one with ranges, and for a fleet's", () => {
    const write: TokenRights = { ...fleet, scopes: ["users:write", "system:write"] };
    for (const rights of [plain, { ...fleet, is_fleet: false }, fleet, write])
      assert.deepEqual(faultsOf(rights), []);
    assert.deepEqual(faultsOf(fleet, undefined), [], "the owner is judged elsewhere where there is none");
    assert.deepEqual(faultsOf({ ...plain, scopes: ["system:read", "logs:read"] }, admin, true), []);
  });

  it("are refused range by range, with the range", () => {
    const sources = ["192.0.2.0/24", "device", "::/0"];
    const found = faultsOf({ ...plain, sources }).map((fault) => fault.slice(0, 26));
    assert.deepEqual(found, ["sources has device, which ", "sources has ::/0, which wo"]);
  });

  it("are refused for a fleet's scope alone, for a fleet from anywhere, and for one without an administrator", () => {
    const [scope, ...others] = faultsOf({ ...plain, scopes: ["system:read", "users:write"] });
    assert.deepEqual([scope?.slice(0, 24), others], ["scopes has users:write, ", []]);
    assert.match(faultsOf({ ...fleet, sources: [] }).join(), /^sources must name the ranges/);
    const operator = { username: "bob", role: "operator" };
    assert.match(faultsOf(fleet, operator).join(), /^is_fleet needs an administrator.* bob is none$/);
    assert.deepEqual(faultsOf(plain, operator), []);
  });

  it("name pages of the product only with the scope for them", () => {
    const bound: TokenRights = { ...plain, pages: ["pump"] };
    assert.deepEqual(faultsOf(bound), ["pages is for tokens with the scope product:use"]);
    assert.deepEqual(faultsOf({ ...bound, scopes: ["system:read", "product:use"] }), []);
  });

  it("have an end unless they only read", () => {
    const rights: TokenRights = { ...plain, scopes: ["system:read", "time:write"] };
    assert.deepEqual(faultsOf(rights, admin, true), ["no_expiry is for tokens that only read"]);
    assert.deepEqual(faultsOf(rights), []);
  });
});

const [ana, ben] = ["a", "b"].map((letter) => `usr_${letter.repeat(32)}`) as [string, string];
const token = (user_id: string, name: string, day: string | null, is_dated = true) => ({
  ...{ user_id, name, is_dated },
  expires_at: day === null ? noEnd : `${day}T00:00:00.000Z`,
});

describe("the next end of an API token", () => {
  const cases: [string, ReturnType<typeof token>[], string | null][] = [
    ["of none is none", [], null],
    ["of tokens without an end is none", [token(ana, "prometheus", null)], null],
    ["is the earliest", [token(ana, "one", "2027-03-01"), token(ben, "two", "2027-02-01")], "2027-02-01"],
    [
      "is that of the newer token after a rotation, in either order",
      [token(ana, "one", "2026-12-01"), token(ana, "one", "2027-03-01"), token(ben, "one", "2027-02-01")],
      "2027-02-01",
    ],
    [
      "is none where a token without an end has followed one",
      [token(ana, "one", null), token(ana, "one", "2026-12-01")],
      null,
    ],
    [
      "is not known of a token that was made while the clock was not trusted",
      [token(ana, "one", "2001-01-01", false), token(ben, "two", "2027-02-01")],
      "2027-02-01",
    ],
  ];
  for (const [what, tokens, expected] of cases) {
    it(what, () => {
      const found = nextEndOf(tokens)?.toISOString().slice(0, 10) ?? null;
      const seen = [found, nextEndOf(tokens.toReversed())?.toISOString().slice(0, 10) ?? null];
      assert.deepEqual(seen, [expected, expected]);
    });
  }
});
