import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { DoctorContext } from "../../../src/cli/doctor/doctor-context.ts";
import { examine } from "../../../src/cli/doctor/examine.ts";
import { deviceOf } from "./examined.ts";

/** A pair that openssl makes now, under `stem`.crt and .key or under these names. */
function makePair(directory: string, days: number, [certificate, key] = ["lan.crt", "lan.key"]): void {
  mkdirSync(directory, { recursive: true });
  const words = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"];
  const more = ["-days", String(days), "-subj", "/CN=lan", "-keyout", key, "-out", certificate];
  execFileSync("openssl", [...words, ...more], { cwd: directory, stdio: "ignore" });
  chmodSync(join(directory, key), 0o640);
}

/** A device with HTTPS on, `days` from now and an hour more: a pair that is made next is valid from its second on. */
function onLan(test: TestContext, days = 0): DoctorContext & { tls: string } {
  const now = new Date(Date.now() + days * 86_400_000 + 3_600_000);
  const device = deviceOf(test, { files: { "/steward.json": '{"https": {"enabled": true}}' }, now });
  const tls = join(device.root, "tls");
  mkdirSync(tls);
  return { ...device, tls };
}

async function httpsOf(device: DoctorContext): Promise<[code: string | undefined, line: string | null]> {
  const found = (await examine(device)).find(({ area }) => area === "https");
  return [found?.code, found?.remedy?.line.replaceAll(device.root, "") ?? null];
}

const reload = "systemctl reload steward.service";

describe("the certificate as doctor sees it", () => {
  it("is named where this clock is before or after it, with what mends it", async (test) => {
    const installed = async (days: number) => {
      const device = onLan(test, days);
      // The one with the highest name counts.
      makePair(device.tls, 1, ["1-old.crt", "1-old.key"]);
      makePair(device.tls, 20);
      return httpsOf(device);
    };
    const own = async (days: number) => {
      const device = onLan(test, days);
      makePair(join(device.places.stateDirectory, "tls"), 20, ["certificate.pem", "key.pem"]);
      return httpsOf(device);
    };
    const setTime = "steward time set --yes TIME";
    assert.deepEqual(await installed(2), ["valid", null]);
    assert.deepEqual(await installed(10), ["https_certificate_ending", null]);
    assert.deepEqual(await installed(-1), ["https_certificate_early", setTime]);
    const aside = `mv /tls/lan.crt /tls/lan.crt.expired; ${reload}`;
    assert.deepEqual(await installed(22), ["https_certificate_expired", aside]);
    assert.deepEqual(await own(2), ["valid", null]);
    assert.deepEqual(await own(-1), ["https_certificate_early", setTime]);
    assert.deepEqual(await own(22), ["https_certificate_expired", reload]);
  });

  it("is the one that an installed link leads to", async (test) => {
    const device = onLan(test);
    makePair(join(device.root, "live"), 20, ["chain.pem", "key.pem"]);
    symlinkSync("../live/chain.pem", join(device.tls, "lan.crt"));
    symlinkSync("../live/key.pem", join(device.tls, "lan.key"));
    assert.deepEqual(await httpsOf(device), ["valid", null]);
  });

  it("is not well where its key is another's", async (test) => {
    const device = onLan(test);
    makePair(device.tls, 20);
    makePair(device.tls, 20, ["other.pem", "lan.key"]);
    assert.deepEqual(await httpsOf(device), [
      "https_certificate_refused",
      `mv /tls/lan.crt /tls/lan.crt.refused; ${reload}`,
    ]);
    const alone = onLan(test);
    const own = join(alone.places.stateDirectory, "tls");
    makePair(own, 20, ["certificate.pem", "key.pem"]);
    makePair(own, 20, ["other.pem", "key.pem"]);
    assert.deepEqual(await httpsOf(alone), ["own_certificate_unusable", "systemctl restart steward.service"]);
  });

  it("is refused, and not waited for, where it is a pipe, a directory, an empty file or a link to nothing", async (test) => {
    const put: Record<string, (path: string) => void> = {
      pipe: (path) => void execFileSync("mkfifo", [path]),
      directory: (path) => mkdirSync(path),
      empty: (path) => writeFileSync(path, ""),
      link: (path) => symlinkSync("nothing", path),
    };
    for (const [what, make] of Object.entries(put)) {
      const device = onLan(test);
      makePair(device.tls, 20);
      rmSync(join(device.tls, "lan.crt"));
      make(join(device.tls, "lan.crt"));
      const aside = `mv /tls/lan.crt /tls/lan.crt.refused; ${reload}`;
      assert.deepEqual(await httpsOf(device), ["https_certificate_refused", aside], what);
      renameSync(join(device.tls, "lan.crt"), join(device.tls, "lan.crt.refused"));
      assert.deepEqual(await httpsOf(device), ["none", null], what);
    }
  });

  it("is given to the agent where only root may read its key", async (test) => {
    const device = onLan(test);
    makePair(device.tls, 20);
    const key = join(device.tls, "lan.key");
    chmodSync(key, 0o644);
    const [code, typed] = await httpsOf(device);
    const opened = "chmod a+r /tls/lan.crt; chown root:steward /tls/lan.key; chmod 640 /tls/lan.key";
    assert.deepEqual([code, typed], ["https_certificate_refused", `${opened}; ${reload}`]);
    chmodSync(key, 0o640);
    assert.deepEqual(await httpsOf(device), ["valid", null]);
  });
});
