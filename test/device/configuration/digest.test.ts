import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { describe, it } from "node:test";
import { canonical } from "../../../lab/publisher/canonical.ts";
import { hostStart } from "../../../lab/simulated/virtual-host.ts";
import type { StoredApiToken } from "../../../src/accounts/tokens/api-token.ts";
import { noEnd } from "../../../src/accounts/tokens/token-rights.ts";
import type { Account } from "../../../src/accounts/users/account.ts";
import { digestsOf } from "../../../src/device/configuration/digest.ts";
import type { Present } from "../../../src/device/configuration/order.ts";
import { accountOf, anna, berta, hashOf, presentOf, settings, tokenOf } from "./virtual-device.ts";

const one = tokenOf("1", anna);
const factor = { sealed_secret: "v1.one", enrolled_at: hostStart.toISOString(), recovery_hashes: ["a"] };
const base = presentOf([anna, { ...berta, two_factor: factor }], [one]);
const key = Buffer.alloc(32, 7);
const root = "ab".repeat(32);

const withBerta = (members: Partial<Account>): Present =>
  presentOf([anna, { ...berta, two_factor: factor, ...members }], [one]);
const withToken = (members: Partial<StoredApiToken>): Present => ({
  ...base,
  tokens: { tokens: [{ ...one, ...members }], provisioned: null },
});

describe("the digests of a device", () => {
  const before = digestsOf(base, root, key);
  /** The parts that are other ones, besides the whole. */
  const changed = (present: Present, installed: string | null = root) => {
    const { digest, ...parts } = digestsOf(present, installed, key);
    const names = (Object.keys(parts) as (keyof typeof parts)[]).filter(
      (name) => parts[name] !== before[name],
    );
    assert.equal(digest !== before.digest, names.length > 0, "the whole is another one with each part");
    return names;
  };

  it("are HMACs of the SHA-256 of the canonical form, and of the parts together", () => {
    const text = (value: unknown) => canonical(value as object);
    const mac = (content: string) => createHmac("sha256", key).update(content).digest("hex");
    const hash = createHash("sha256").update(text(settings)).digest("hex");
    assert.equal(before.settings, mac(`settings ${hash}`));
    const { digest, ...parts } = before;
    assert.equal(digest, mac(`all ${text(parts)}`));
  });

  it("say nothing to those who try out what could be in them (guessing offline)", () => {
    const { update_root, ...digests } = before;
    const other = digestsOf(base, root, Buffer.alloc(32, 8));
    assert.equal(other.update_root, update_root, "a fingerprint is no secret");
    for (const [name, digest] of Object.entries(digests))
      assert.notEqual(other[name as keyof typeof digests], digest, name);
  });

  it("are other ones after each change of what a file can say", () => {
    for (const members of [
      { role: "readonly" },
      { enabled: false },
      { display_name: "B." },
      { password_hash: hashOf("B") },
      { password_state: "initial" },
      { two_factor: null },
      { two_factor: { ...factor, enrolled_at: "2026-11-02T00:00:00.000Z" } },
    ] as Partial<Account>[])
      assert.deepEqual(changed(withBerta(members)), ["users"], JSON.stringify(members));
    for (const members of [
      { name: "other" },
      { scopes: [] },
      { user_id: berta.id },
      { lifetime_seconds: 1 },
      { expires_at: noEnd },
      { sources: ["10.0.0.0/8"] },
      { is_fleet: true },
      { pages: ["pump"] },
    ])
      assert.deepEqual(changed(withToken(members)), ["tokens"], JSON.stringify(members));
    const named = { ...base, settings: { ...settings, device: { ...settings.device, name: "edge-7" } } };
    assert.deepEqual(changed(named), ["settings"]);
    for (const other of [null, "c".repeat(64)]) assert.deepEqual(changed(base, other), ["update_root"]);
  });

  it("are the same after what is no change: a sign-in, a use, an expiry, a date, another order, a user of a provider", () => {
    const provider = { issuer: "https://id.example", subject: "1" };
    for (const present of [
      withBerta({ last_login_at: hostStart.toISOString(), updated_at: hostStart.toISOString() }),
      withBerta({ two_factor: { ...factor, sealed_secret: "v1.sealed-again", recovery_hashes: [] } }),
      withToken({ last_used_at: hostStart.toISOString(), last_used_from: "192.0.2.1" }),
      withToken({ is_dead: true }),
      withToken({ is_dated: false, expires_at: hostStart.toISOString() }),
      { ...base, users: { accounts: [...base.users.accounts].reverse() } },
      { ...base, users: { accounts: [...base.users.accounts, accountOf("fritz", { provider })] } },
    ])
      assert.deepEqual(changed(present), []);
  });
});
