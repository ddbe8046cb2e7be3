import assert from "node:assert/strict";
import { chownSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
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
    const path = write(join(directory, "steward.json"), { product: "pump-7", time, update });
    assert.deepEqual(await readAt(path), {
      ...plainHostFile(),
      product: "pump-7",
      time: { caFile: ca_file },
      update: {
        caFile: ca_file,
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
    ["that is cut off", certificate.slice(0, 200), /does not hold a certificate/],
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
});
