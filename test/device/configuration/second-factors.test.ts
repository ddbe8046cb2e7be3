import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { describe, it } from "node:test";
import { createSeal, type Seal } from "../../../src/accounts/second-factor/seal.ts";
import { sealForDevice, transportKey } from "../../../src/accounts/second-factor/transport.ts";
import type { StoredFactor } from "../../../src/accounts/users/account.ts";
import { judgeFactors } from "../../../src/device/configuration/second-factors.ts";
import { accountOf } from "./virtual-device.ts";

const seal = createSeal([Buffer.alloc(32, "one key")]);
/** The test key of RFC 6238 as a longer one, in base32. */
const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
const sealed = async (text: string, user: string, by: Seal = seal) =>
  sealForDevice(text, user, (await transportKey(by)) ?? "");
const factorOf = (sealed_secret: string): StoredFactor => ({
  ...{ sealed_secret, enrolled_at: "2026-11-01T00:00:00.000Z", recovery_hashes: [] },
});

async function judge(text: string, factor: StoredFactor | null, by = seal) {
  const accounts = [accountOf("anna"), accountOf("carla", { two_factor: factor })];
  const users = [{ name: "anna" }, { name: "carla", second_factor: { sealed: text } }];
  const { secrets, faults } = await judgeFactors({ version: 1, users }, { accounts }, {}, by);
  return {
    secrets,
    faults: faults.map(({ pointer, code }) => `${pointer} ${code}`),
    id: accounts[1]?.id ?? "",
  };
}

describe("a second factor of a file", () => {
  it("is sealed for the state where its user has none, or another one", async () => {
    const { id } = await judge(await sealed(secret, "carla"), null);
    const other = seal.seal("MFRGGZDFMZTWQ2LKNNWG23TPOBYXE43U", id);
    for (const factor of [null, factorOf(other)]) {
      const { secrets, faults } = await judge(await sealed(secret, "carla"), factor);
      assert.deepEqual([Object.keys(secrets), faults], [["carla"], []]);
      assert.equal(seal.open(secrets.carla ?? "", id), secret);
    }
  });

  it("is no change where its user has that very secret, however it was sealed", async () => {
    const { id } = await judge(await sealed(secret, "carla"), null);
    const own = seal.seal(secret, id);
    assert.deepEqual((await judge(await sealed(secret, "carla"), factorOf(own))).secrets, { carla: own });
  });

  it("is a fault at its place where it was sealed for another user or device, or is too weak", async () => {
    const other = createSeal([Buffer.alloc(32, "another key")]);
    const pointer = "/users/1/second_factor/sealed";
    for (const text of [await sealed(secret, "anna"), await sealed(secret, "carla", other), "", "v1."])
      assert.deepEqual((await judge(text, null)).faults, [`${pointer} not_openable`]);
    await assert.rejects(sealed("JBSWY3DPEHPK3PXP", "carla"));
    const to = (await transportKey(seal)) ?? "";
    const foreign = [
      "JBSWY3DPEHPK3PXP",
      `otpauth://totp/carla?secret=${secret}&digits=8`,
      `otpauth://hotp/carla?secret=${secret}`,
    ];
    for (const text of foreign) {
      // Not by `steward seal`, which would have refused it.
      const file = execFileSync("age", ["-a", "-r", to], { input: `carla\n${text}\n`, encoding: "utf8" });
      assert.deepEqual((await judge(file, null)).faults, [`${pointer} not_usable`], text);
    }
  });
});
