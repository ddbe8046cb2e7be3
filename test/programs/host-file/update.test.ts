import assert from "node:assert/strict";
import { chmodSync, chownSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createAuthority } from "../../../lab/host/certificates.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { ownDirectory, readAt, refused, write } from "../../../lab/host/judged-host-file.ts";
import { plainHostFile } from "../../../src/programs/host-file/host-file.ts";

describe("what the host file says of updates and time servers", asRoot, () => {
  const certificate = readFileSync(join(import.meta.dirname, "../../fixtures/authority.pem"), "utf8");

  it("names the product, and the ways that updates come on", async (test) => {
    const directory = ownDirectory(test);
    const ca_file = write(join(directory, "ca.pem"), certificate);
    const update = {
      ca_file,
      proxy: "http://proxy.example.net:3128",
      allow_local_servers: true,
      redirect_origins: ["https://cdn.example.net", "http://10.0.0.7:8080/"],
    };
    const time = { ca_file };
    const ofUpdate = { ca_file: "update.ca_file", proxy: "update.proxy" };
    const path = write(join(directory, "steward.json"), { product: "pump-7", time, update });
    assert.deepEqual(await readAt(path), {
      ...plainHostFile(),
      product: "pump-7",
      time: { caFile: ca_file },
      update: {
        ...plainHostFile().update,
        ...{ caFile: ca_file, members: { ...plainHostFile().update.members, ...ofUpdate } },
        proxy: "http://proxy.example.net:3128",
        allowLocalServers: true,
        redirectOrigins: ["https://cdn.example.net", "http://10.0.0.7:8080"],
        channels: null,
        apply: { rules: null, binary: null },
      },
    });
  });

  for (const part of ["update", "time"])
    it(`does not trust certificates for ${part} that another user could have written`, async (test) => {
      const directory = ownDirectory(test);
      const ca_file = write(join(directory, "ca.pem"), certificate);
      chownSync(ca_file, 65_534, 0);
      const path = write(join(directory, "steward.json"), { [part]: { ca_file } });
      await refused(path, new RegExp(`/${part}/ca_file names .*ca\\.pem, which must belong to root`));
    });

  const bundles: [string, string | null, RegExp][] = [
    ["that is not there", null, /does not exist/],
    ["without a certificate", "nothing", /does not hold a certificate/],
    ["that is cut off", certificate.slice(0, 200), /is truncated/],
    ["of which one is none", certificate.replace(/^MII/m, "AII"), /its certificate 1 is not valid/],
    ["without end", "x".repeat(4 * 1024 * 1024 + 1), /more than the limit of 4194304/],
  ];
  for (const [what, text, words] of bundles) {
    it(`does not take a ca_file ${what}: no server could ever be checked`, async (test) => {
      const directory = ownDirectory(test);
      const ca_file = join(directory, "ca.pem");
      if (text !== null) write(ca_file, text);
      await refused(write(join(directory, "steward.json"), { update: { ca_file } }), words);
    });
  }

  const device = createAuthority(scratchDirectory()).certify("device");
  const other = createAuthority(scratchDirectory()).certify("device");
  const clients: [string, string, number, RegExp | null][] = [
    ["with its key", `${device.cert}${device.key}`, 0o640, null],
    ["that everyone can read", `${device.cert}${device.key}`, 0o644, /can be read by every user/],
    ["without a key", device.cert, 0o640, /does not hold a key in PEM/],
    ["with another one's key", `${device.cert}${other.key}`, 0o640, /not that of its first certificate/],
    ["without a certificate", device.key, 0o640, /does not hold a certificate in PEM/],
  ];
  for (const [what, text, mode, words] of clients)
    it(`judges a certificate of this device ${what}`, async (test) => {
      const directory = ownDirectory(test);
      const client_certificate_file = write(join(directory, "client.pem"), text);
      chmodSync(client_certificate_file, mode);
      const path = write(join(directory, "steward.json"), { network: { client_certificate_file } });
      if (words !== null) return refused(path, words);
      assert.equal((await readAt(path)).notify.clientCertificateFile, client_certificate_file);
    });
});
