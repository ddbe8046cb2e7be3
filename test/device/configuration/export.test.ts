import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostStart } from "../../../lab/simulated/virtual-host.ts";
import { codeFrom } from "../../../lab/simulated/virtual-sign-in.ts";
import { createSeal } from "../../../src/accounts/second-factor/seal.ts";
import { openOnDevice, transportKey } from "../../../src/accounts/second-factor/transport.ts";
import { type StoredApiToken, suspended } from "../../../src/accounts/tokens/api-token.ts";
import { noEnd } from "../../../src/accounts/tokens/token-rights.ts";
import type { Account } from "../../../src/accounts/users/account.ts";
import { configuration as schema } from "../../../src/contract/configuration.ts";
import { StewardError } from "../../../src/contract/errors.ts";
import { createValidator } from "../../../src/store/validation/schemas.ts";
import { accountOf, anna, berta, hashOf, presentOf, tokenOf, virtualDevice } from "./virtual-device.ts";

const seal = createSeal([Buffer.alloc(32, "one key")]);
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const after = (seconds: number) => new Date(hostStart.getTime() + seconds * 1_000).toISOString();
const living = (sign: string, owner: Account, members: Partial<StoredApiToken> = {}) =>
  tokenOf(sign, owner, { expires_at: after(86_400), ...members });

const faultsIn = createValidator("a file", schema);

const all = { withoutSecrets: false, sealTo: null };

async function exportOf(
  accounts: readonly Account[],
  tokens: readonly StoredApiToken[] = [],
  given: Parameters<typeof virtualDevice>[0] = {},
) {
  const device = await virtualDevice({ present: presentOf(accounts, tokens), seal, ...given });
  const answer = await device.configurator.export(all);
  const text = JSON.stringify(answer.configuration);
  assert.deepEqual(faultsIn(JSON.parse(text)), [], "it is a file of `steward apply`");
  const { changes } = await device.apply(answer.configuration);
  assert.deepEqual(changes, [], "it changes nothing here");
  return { device, ...answer, left: answer.left_out.map(({ subject, name }) => `${subject} ${name}`) };
}

/** A copy with a second factor of the given secret. */
const withFactor = (account: Account, sealed_secret: string): Account => ({
  ...account,
  two_factor: { sealed_secret, enrolled_at: hostStart.toISOString(), recovery_hashes: ["a hash"] },
});

describe("the export of a device", () => {
  it("has each token by its hash, with its end and its rights, sorted by owner and name", async () => {
    const sources = ["10.0.0.0/8"];
    const fleet = { scopes: ["users:write", "system:write"], sources, is_fleet: true } as const;
    const tokens = [
      living("4", berta, { scopes: ["product:use"], pages: ["pump"] }),
      living("3", anna, { expires_at: noEnd }),
      living("2", anna, { is_dated: false, lifetime_seconds: 7_200.5 }),
      living("1", anna, fleet),
    ];
    const { configuration } = await exportOf([anna, berta], tokens);
    const reading = { user: "anna", scopes: ["system:read"] };
    assert.deepEqual(configuration.tokens, [
      {
        ...{ token_hash: "1".repeat(64), name: "token 1", user: "anna", expires_at: after(86_400) },
        ...{ scopes: ["system:write", "users:write"], sources: ["10.0.0.0/8"], is_fleet: true },
      },
      { token_hash: "2".repeat(64), name: "token 2", ...reading, expires_in: "7201s" },
      { token_hash: "3".repeat(64), name: "token 3", ...reading, no_expiry: true },
      {
        ...{ token_hash: "4".repeat(64), name: "token 4", user: "berta", expires_at: after(86_400) },
        ...{ scopes: ["product:use"], pages: ["pump"] },
      },
    ]);
  });

  it("gives a token that ends soon and has no date yet no longer life elsewhere", async () => {
    const ending = living("1", anna, { is_dated: false, lifetime_seconds: 60, expires_at: after(60) });
    const { configuration } = await exportOf([anna], [ending]);
    assert.equal(configuration.tokens?.[0]?.expires_at, after(60));
  });

  it("has second factors sealed to this device, or to another, and their recovery codes stay", async () => {
    const carla = withFactor(accountOf("carla"), seal.seal(secret, accountOf("carla").id));
    const { configuration, device } = await exportOf([anna, carla]);
    const [, { second_factor } = {}] = configuration.users ?? [];
    assert.equal(await openOnDevice(seal, second_factor?.sealed ?? "", "carla"), secret);
    assert.equal(await openOnDevice(seal, second_factor?.sealed ?? "", "anna"), null);
    const kept = device.present().users.accounts.find(({ username }) => username === "carla");
    assert.deepEqual(kept?.two_factor?.recovery_hashes, ["a hash"]);
    const other = createSeal([Buffer.alloc(32, "another")]);
    const exportTo = (sealTo: string) => device.configurator.export({ withoutSecrets: false, sealTo });
    const elsewhere = await exportTo((await transportKey(other)) ?? "");
    const sealed = elsewhere.configuration.users?.[1]?.second_factor?.sealed ?? "";
    assert.equal(await openOnDevice(other, sealed, "carla"), secret);
    assert.equal(await openOnDevice(seal, sealed, "carla"), null);
    assert.equal(await codeFrom(exportTo("age1")), "validation_failed");
  });

  it("leaves out what no file can say, or this device would refuse, and names it", async () => {
    const lost = createSeal([Buffer.alloc(32, "a key that is gone")]);
    const accounts = [
      anna,
      withFactor(accountOf("carla"), lost.seal(secret, accountOf("carla").id)),
      accountOf("dora", { password_state: "initial" }),
      accountOf("emil", { password_hash: hashOf("E", "m=4096,t=2,p=1") }),
      accountOf("fritz", { provider: { issuer: "https://id.example", subject: "1" } }),
    ];
    const [, , dora, emil] = accounts as [Account, Account, Account, Account, Account];
    const tokens = [
      living("1", dora, { scopes: ["updates:apply"] }),
      living("2", emil, { scopes: ["system:read", "future:read" as "logs:read"] }),
      living("3", anna, { is_dead: true }),
      tokenOf("4", anna, { expires_at: after(-1) }),
      living("5", anna),
      suspended(living("6", anna)),
    ];
    const { configuration, left_out, left } = await exportOf(accounts, tokens);
    const users = configuration.users?.map(({ name, password_hash, second_factor }) =>
      [name, password_hash && "hash", second_factor && "factor"].filter(Boolean).join(" "),
    );
    assert.deepEqual(users, ["anna hash", "carla hash", "dora", "emil"]);
    assert.equal(configuration.tokens?.map(({ name }) => name).join(), "token 5");
    assert.deepEqual(left.sort(), [
      ...["token anna/token 6", "token dora/token 1", "token emil/token 2"],
      ...["user carla", "user dora", "user emil"],
    ]);
    const detailOf = (wanted: string) => left_out.find(({ name }) => name === wanted)?.detail ?? "";
    assert.match(detailOf("emil"), /^the hash of the password costs less/);
    const scopes = /^its member scopes has updates:apply, which the owner's role "readonly" does not permit$/;
    assert.match(detailOf("dora/token 1"), scopes);
  });

  it("has no secret where none is wanted, and changes nothing then either", async () => {
    const carla = withFactor(accountOf("carla"), seal.seal(secret, accountOf("carla").id));
    const { device } = await exportOf([anna, carla], [living("5", anna)]);
    const wanted = { withoutSecrets: true, sealTo: null };
    const { configuration, left_out } = await device.configurator.export(wanted);
    const text = JSON.stringify(configuration);
    for (const part of ["$argon2id$", "5".repeat(64), "second_factor", "sealed"])
      assert.ok(!text.includes(part), part);
    assert.deepEqual(Object.keys(configuration), ["version", "users", "settings"]);
    assert.deepEqual([left_out, (await device.apply(configuration)).changes], [[], []]);
  });

  it("says why it has no root of trust where the installed one cannot be used", async () => {
    const unusable = new StewardError("update_root_unusable", "It is not root's.");
    const given = { readInstalledRoot: () => Promise.reject(unusable) };
    const { configuration, left_out } = await exportOf([anna], [], given);
    assert.equal(configuration.update_root, undefined);
    assert.deepEqual(left_out, [{ subject: "update_root", name: "", detail: "It is not root's." }]);
  });

  it("has no members that only a newer release knows, and is refused where one file cannot have so many users", async () => {
    const device = await virtualDevice();
    await device.settings.update((present) => ({ ...present, future: { colour: "blue" } }));
    assert.deepEqual(faultsIn((await device.configurator.export(all)).configuration), []);
    const many = Array.from({ length: 1_001 }, (_, index) => accountOf(`user-${index}`, { role: "admin" }));
    const { configurator } = await virtualDevice({ present: presentOf(many) });
    assert.equal(await codeFrom(configurator.export(all)), "validation_failed");
  });

  it("is the same text each time, whatever the order of the state", async () => {
    const tokens = [living("1", anna), living("2", berta)];
    const texts = new Set<string>();
    for (const present of [presentOf([anna, berta], tokens), presentOf([berta, anna], tokens.toReversed())]) {
      const { configurator } = await virtualDevice({ present });
      texts.add(JSON.stringify((await configurator.export(all)).configuration));
    }
    assert.equal(texts.size, 1);
  });
});
