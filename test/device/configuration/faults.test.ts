import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostStart } from "../../../lab/simulated/virtual-host.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import type { Configuration } from "../../../src/contract/types.ts";
import { accountOf, anna, berta, hashOf, presentOf, tokenOf, virtualDevice } from "./virtual-device.ts";

type File = Omit<Configuration, "version">;
type Token = NonNullable<Configuration["tokens"]>[number];
type User = NonNullable<Configuration["users"]>[number];

const paula = accountOf("paula", { provider: { issuer: "https://id.example", subject: "p-1" } });
const known = tokenOf("a", anna);
const present = presentOf([anna, berta, paula], [known]);

const carla = { name: "carla", role: "admin", password_hash: hashOf("C") } as const;
const users = (...all: readonly User[]): File => ({ users: [...all] });
const ofCost = (cost: string) => users({ ...carla, password_hash: hashOf("C", cost) });
const anna0 = (members: Partial<User>) => ({ name: "anna", ...members });
const onlyBerta: File = { users: [{ name: "berta" }], users_not_named: "remove" };
const token = (members: Partial<Token>): File => ({
  tokens: [{ token_hash: "b".repeat(64), name: "pump", user: "anna", scopes: ["system:read"], ...members }],
});
const of = (user: string, members: Partial<Token> = {}) => token({ user, ...members });
const after = (seconds: number) => new Date(hostStart.getTime() + seconds * 1_000).toISOString();
const until = (seconds: number) => token({ expires_at: after(seconds) });
const twice: File = { tokens: [...(token({}).tokens ?? []), ...(token({}).tokens ?? [])] };
const provided = ["role", "password_hash"].map((member) => `/users/0/${member} account_of_provider`);
const ranges = ["10.0.0.0/8"];
const year = 366 * 86_400;

/** Each rule with a file that breaks it and nothing else, or the nearest files that do not. */
const rules: readonly [rule: string, faults: string, ...files: readonly File[]][] = [
  ["nothing is wrong with an empty file", "", {}],
  ["a user is named once", "/users/1/name repeated", users({ name: "berta" }, { name: "berta" })],
  ["a new one has a role", "/users/0/role required", users({ name: "c", password_hash: hashOf("C") })],
  ["and a password", "/users/0/password_hash required", users({ name: "carla", role: "admin" })],
  ["a user who is there needs neither", "", users({ name: "berta" })],
  ["a hash has the memory of the device's own", "/users/0/password_hash too_weak", ofCost("m=19455,t=2,p=1")],
  ["and its passes, for all its memory", "/users/0/password_hash too_weak", ofCost("m=38912,t=1,p=1")],
  ["up to twice its cost", "", users(carla), ofCost("m=38912,t=2,p=1"), ofCost("m=19456,t=4,p=1")],
  ["and no more", "/users/0/password_hash too_costly", ofCost("m=38913,t=2,p=1")],
  [
    "also of a user who is there",
    "/users/0/password_hash too_weak",
    users({ name: "berta", password_hash: hashOf("B", "m=8,t=1,p=1") }),
  ],
  [
    "role, password and second factor of one who signs in at a provider are not for a file",
    provided.join(", "),
    users({ name: "paula", role: "admin", password_hash: hashOf("P") }),
  ],
  ["the rest is", "", users({ name: "paula", enabled: false, display_name: "P" })],
  ["the last admin stays enabled", "/users/0 last_admin", users(anna0({ enabled: false }))],
  ["and admin", "/users/1 last_admin", users({ name: "berta" }, anna0({ role: "operator" }))],
  ["and stays", "/users_not_named last_admin", onlyBerta],
  [
    "unless another takes their place",
    "",
    { ...onlyBerta, users: [{ name: "berta", role: "admin" }] },
    users(anna0({ role: "readonly" }), carla),
  ],
  [
    "who must be enabled",
    "/users/0 last_admin",
    users(anna0({ role: "readonly" }), { ...carla, enabled: false }),
  ],
  ["a token is named once", "/tokens/1/token_hash repeated", twice],
  ["its owner is a user", "/tokens/0/user not_found", of("stranger")],
  ["or becomes one", "", { ...users(carla), ...of("carla") }],
  [
    "and does not go by the same file",
    "/tokens/0/user not_found",
    { ...onlyBerta, users: [{ name: "anna" }], ...of("berta") },
  ],
  ["none is of a provider's user", "/tokens/0/user account_of_provider", of("paula")],
  ["it has its owner's rights", "/tokens/0/scopes forbidden", of("berta", { scopes: ["users:read"] })],
  ["a fleet has its own scopes", "/tokens/0/scopes not_allowed", token({ scopes: ["users:write"] })],
  ["a fleet's token names its ranges", "/tokens/0/sources not_allowed", token({ is_fleet: true })],
  ["pages are for the scope of pages", "/tokens/0/pages not_allowed", token({ pages: ["pump"] })],
  ["and a file for many devices names", "", token({ scopes: ["product:use"], pages: ["of another device"] })],
  ["and they are ranges", "/tokens/0/sources not_allowed", token({ sources: ["10.0.0.0/33"] })],
  [
    "and its owner is an administrator",
    "/tokens/0/is_fleet not_allowed",
    of("berta", { is_fleet: true, sources: ranges }),
  ],
  [
    "an endless token reads",
    "/tokens/0/no_expiry not_allowed",
    token({ no_expiry: true, scopes: ["updates:check"] }),
  ],
  [
    "it has one end",
    "/tokens/0/expires_at inconsistent",
    token({ expires_in: "30d", expires_at: after(86_400) }),
  ],
  [
    "not two",
    "/tokens/0/no_expiry inconsistent",
    token({ expires_in: "30d", no_expiry: true }),
    token({ expires_at: after(86_400), no_expiry: true }),
  ],
  ["it lives for an hour", "", token({ expires_in: "1h" }), token({ expires_in: "60m" })],
  ["and for no less", "/tokens/0/expires_in out_of_range", token({ expires_in: "59m" })],
  ["and for 366 days", "", token({ expires_in: "366d" }), until(year)],
  ["and for no more", "/tokens/0/expires_in out_of_range", token({ expires_in: "367d" })],
  ["nor until a second later", "/tokens/0/expires_at out_of_range", until(year + 1)],
  ["its end is a day", "/tokens/0/expires_at format", token({ expires_at: "2026-13-01T00:00:00Z" })],
  ["and lies in the future", "/tokens/0/expires_at out_of_range", until(0), until(-1)],
  ["by a second at least", "", until(1)],
  [
    "unless the token is there: it may have ended since the file was written",
    "",
    ...[-1, year + 1].map((seconds) => token({ token_hash: known.hash, expires_at: after(seconds) })),
  ],
];

describe("the faults of a configuration", () => {
  for (const [rule, faults, ...files] of rules)
    it(rule, async () => {
      for (const file of files) {
        const { faultsOf } = await virtualDevice({ present });
        assert.equal((await faultsOf(file)).join(", "), faults, JSON.stringify(file));
      }
    });

  it("do not judge a date by a clock that is not trusted", async () => {
    const { faultsOf } = await virtualDevice({ present, isClockTrusted: false });
    for (const seconds of [-1, 0, year + 1]) assert.deepEqual(await faultsOf(until(seconds)), []);
  });

  it("count the tokens that a user would have: 50, and no new one beyond them", async () => {
    const hashes = Array.from({ length: 51 }, (_, index) => index.toString(16).padStart(64, "0"));
    const all = (owner: string, most: number): File => ({
      tokens: hashes.slice(0, most).flatMap((token_hash) => token({ token_hash, user: owner }).tokens ?? []),
    });
    const { faultsOf, apply } = await virtualDevice({ present: presentOf([anna, berta]) });
    assert.deepEqual(await faultsOf(all("anna", 50)), []);
    const beyond = (await faultsOf(all("anna", 51))).map((one) => one.replace(/\d+/, "N"));
    assert.deepEqual([...new Set(beyond)], ["/tokens/N/user token_limit_reached"]);
    await apply(all("anna", 50));
    // Those who are there are as they are; of the new ones each is one too many.
    assert.deepEqual(await faultsOf(all("anna", 51)), ["/tokens/50/user token_limit_reached"]);
    const fresh = { token_hash: hashes[50] ?? "" };
    for (const file of [of("berta", fresh), { ...token(fresh), tokens_not_named: "remove" as const }])
      assert.deepEqual(await faultsOf(file), []);
  });

  it("do not take an administrator with a one-use password for one who remains", async () => {
    for (const password_state of ["initial", "spent"] as const) {
      const other = accountOf("other", { role: "admin", password_state });
      const { faultsOf } = await virtualDevice({ present: presentOf([anna, other]) });
      const demoted = { name: "anna", role: "operator" } as const;
      assert.deepEqual(await faultsOf({ users: [demoted] }), ["/users/0 last_admin"], password_state);
      const alone = await faultsOf({ users: [{ name: "other" }], users_not_named: "remove" });
      assert.deepEqual(alone, ["/users_not_named last_admin"]);
      const given = { name: "other", password_hash: hashOf("O") };
      assert.deepEqual(await faultsOf({ users: [demoted, given] }), []);
    }
  });

  it("are of no device that had no administrator: its first file may leave it without one", async () => {
    const { faultsOf } = await virtualDevice({ present: presentOf([berta]) });
    assert.deepEqual(await faultsOf({ users: [{ name: "berta", enabled: false }] }), []);
  });

  it("name each administrator whom the file would take away", async () => {
    const other = accountOf("root-admin", { role: "admin" });
    const { faultsOf } = await virtualDevice({ present: presentOf([anna, other]) });
    const disabled = ["anna", "root-admin"].map((name) => ({ name, enabled: false }));
    assert.deepEqual(await faultsOf({ users: disabled }), ["/users/0 last_admin", "/users/1 last_admin"]);
    assert.deepEqual(await faultsOf({ users: disabled.slice(1) }), []);
  });

  it("of settings have their place below /settings, and the refusal of a room is one", async () => {
    const told = { detail: "is none", as: "validation_failed", sentence: "" } as const;
    const own = { pointer: "/time/servers", code: "format", ...told };
    const asked: unknown[] = [];
    const { faultsOf } = await virtualDevice({
      settingFaults: (change) => (Object.keys(change).length === 0 ? [] : [own]),
      settingRefusal: async (change) => {
        asked.push(change);
        return new StewardError("update_busy", "An update is being installed.");
      },
    });
    assert.deepEqual(await faultsOf({ settings: { device: { name: "x" } } }), [
      "/settings/time/servers format",
      "/settings update_busy",
    ]);
    assert.deepEqual(await faultsOf({ users: [] }), []);
    assert.deepEqual(asked, [{ device: { name: "x" } }]);
  });

  it("are all told at once, each where it is", async () => {
    const { faultsOf } = await virtualDevice({ present });
    const file = { ...ofCost("m=8,t=1,p=1"), ...of("stranger", { expires_in: "59m" }) };
    const places = ["/users/0/password_hash too_weak", "/tokens/0/user not_found"];
    assert.deepEqual(await faultsOf(file), [...places, "/tokens/0/expires_in out_of_range"]);
  });
});
