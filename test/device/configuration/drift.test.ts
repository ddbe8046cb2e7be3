import assert from "node:assert/strict";
import { readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { createSeal } from "../../../src/accounts/second-factor/seal.ts";
import { sealForDevice, transportKey } from "../../../src/accounts/second-factor/transport.ts";
import { createConfigurator } from "../../../src/device/configuration/configuration.ts";
import { appliedConfiguration } from "../../../src/device/configuration/drift.ts";
import { readRootOfTrust } from "../../../src/tuf/root-of-trust.ts";
import { accountOf, anna, berta, orderOf, presentOf, tokenOf, virtualDevice } from "./virtual-device.ts";

const seal = createSeal([Buffer.alloc(32, "one key")]);
const idle = { after: () => () => undefined };
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const name = (text: string) => ({ settings: { device: { name: text } } });

describe("the drift of a device", () => {
  const drifting = async (present = presentOf()) => {
    const device = await virtualDevice({ present, seal });
    const left = () => device.configurator.isLeft(null);
    return { ...device, left };
  };

  it("is not known before a file was applied, and neither a check nor a file that says nothing makes it so", async () => {
    const { left, apply, directory } = await drifting();
    await apply(name("edge-7"), true);
    await apply({});
    assert.equal(await left(), null);
    assert.deepEqual(await readdir(directory), []);
  });

  it("begins with a change of what the file names, and ends when that is undone", async () => {
    const { left, apply, settings, users, directory } = await drifting();
    await apply({ ...name("edge-7"), users: [{ name: "berta", role: "operator" }] });
    assert.equal(await left(), false);
    const rename = (text: string) =>
      settings.update((present) => ({ ...present, device: { ...present.device, name: text } }));
    await rename("other");
    assert.equal(await left(), true);
    await rename("edge-7");
    assert.equal(await left(), false);
    await users.update(() => ({ accounts: [anna, { ...berta, role: "admin" }] }));
    assert.equal(await left(), true);
    await users.update(() => ({ accounts: [anna] }));
    assert.equal(await left(), true, "a user who is gone");
    await apply({ ...name("edge-7"), users: [{ name: "anna" }] });
    assert.deepEqual([await left(), await readdir(directory)], [false, [".applied.json"]]);
  });

  it("is seen in tokens that the file names, and in those that are not to be where it names all", async () => {
    const file = {
      tokens: [{ token_hash: "1".repeat(64), name: "token 1", user: "anna", scopes: ["system:read"] }],
    } satisfies Parameters<Awaited<ReturnType<typeof drifting>>["apply"]>[0];
    const { left, apply, tokens, present } = await drifting();
    await apply(file);
    const [made] = present().tokens.tokens;
    await tokens.update((state) => ({ ...state, tokens: [...state.tokens, tokenOf("2", anna)] }));
    assert.equal(await left(), false);
    await apply({ ...file, tokens_not_named: "remove" });
    assert.equal(await left(), false);
    await tokens.update((state) => ({ ...state, tokens: [...state.tokens, tokenOf("2", anna)] }));
    assert.equal(await left(), true, "a token too many");
    await tokens.update((state) => ({ ...state, tokens: made ? [{ ...made, scopes: ["logs:read"] }] : [] }));
    assert.equal(await left(), true, "other rights");
  });

  it("is seen in a second factor, and neither in a sign-in, nor new recovery codes, nor the same file again", async () => {
    const { left, apply, users, present } = await drifting();
    const sealed = await sealForDevice(secret, "berta", (await transportKey(seal)) ?? "");
    await apply({ users: [{ name: "berta", second_factor: { sealed } }] });
    assert.equal(await left(), false);
    const factor = present().users.accounts[1]?.two_factor;
    assert.ok(factor);
    const having = (two_factor: typeof factor | null) =>
      users.update(() => ({
        accounts: [anna, { ...berta, two_factor, last_login_at: "2026-11-20T00:00:00.000Z" }],
      }));
    const other = seal.seal("MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U", berta.id);
    for (const [changed, isLeft] of [
      [{ ...factor, sealed_secret: other }, true],
      [null, true],
      [factor, false],
      [{ ...factor, recovery_hashes: ["a"] }, false],
    ] as [typeof factor | null, boolean][]) {
      await having(changed);
      assert.equal(await left(), isLeft);
    }
    await apply({ users: [{ name: "berta", second_factor: { sealed } }] });
    const codes = present().users.accounts[1]?.two_factor?.recovery_hashes;
    assert.deepEqual([await left(), codes], [false, ["a"]]);
  });

  it("is seen in another root of trust than the file's", () => {
    const publisher = new SignedRepository();
    const bytes = publisher.metadata("1.root");
    const update_root = JSON.parse(bytes.toString());
    const { fingerprint } = readRootOfTrust(bytes);
    const applied = appliedConfiguration(orderOf({ update_root: [update_root] }));
    const present = presentOf();
    const found = [fingerprint, null, "0".repeat(64)].map((root) => applied.isLeft(present, root));
    assert.deepEqual(found, [false, true, true]);
  });

  it("is known again after a restart, also of a file that changed nothing when it was applied", async () => {
    const device = await drifting(presentOf([anna, accountOf("monitor", { role: "readonly" })]));
    await device.apply({ users: [{ name: "monitor", role: "readonly" }] });
    const { directory, users, tokens, settings, host } = device;
    const restarted = () =>
      createConfigurator({
        ...{ directory, users, tokens, settings, seal, time: host.time, timers: idle },
        ...{ settingFaults: () => [], shutOut: () => null, settingRefusal: async () => null },
        ...{ readInstalledRoot: async () => null, follow: async () => undefined },
      });
    assert.equal(await restarted().isLeft(null), false);
    await users.update(() => ({ accounts: [anna] }));
    assert.equal(await restarted().isLeft(null), true);
    const { drift, applied_at } = await restarted().digest();
    assert.deepEqual([drift, applied_at], [true, host.time.now().toISOString()]);
    await writeFile(join(directory, ".applied.json"), "{");
    assert.deepEqual([await restarted().isLeft(null), (await restarted().digest()).drift], [null, null]);
  });
});
