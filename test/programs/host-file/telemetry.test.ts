import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createAuthority } from "../../../lab/host/certificates.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { hostFile, ownDirectory, readAt, refused, write } from "../../../lab/host/judged-host-file.ts";
import { readDecisionsInForce } from "../../../src/programs/host-file/host-file.ts";
import { keepHostFile } from "../../../src/programs/host-file/kept.ts";

describe("telemetry in the host file", asRoot, () => {
  const url = "https://collector.example.net:4318";
  it("names authorities that are there", async (test) => {
    for (const [part, members] of Object.entries({ syslog: { server: "logs" }, otlp: { url } })) {
      const path = hostFile(test, { telemetry: { [part]: { ...members, ca_file: "/etc/none/ca.pem" } } });
      await refused(path, new RegExp(`/telemetry/${part}/ca_file names .*does not exist`));
    }
  });

  it("names no receiver by itself", async (test) => {
    const { telemetry } = await readAt(hostFile(test, {}));
    assert.deepEqual(telemetry, { otlp: null, syslog: null });
  });

  it("names a collector and a syslog server, with the usual interval and port", async (test) => {
    const directory = ownDirectory(test);
    const { path: caFile } = createAuthority(directory);
    const file = {
      otlp: { url, headers_file: "/etc/steward/otlp-headers", ca_file: caFile },
      syslog: { server: "logs.example.net" },
    };
    const { telemetry } = await readAt(write(join(directory, "steward.json"), { telemetry: file }));
    const { otlp, syslog } = telemetry;
    const collector = [otlp?.url, otlp?.headersFile, otlp?.caFile, otlp?.intervalSeconds];
    assert.deepEqual(collector, [url, "/etc/steward/otlp-headers", caFile, 300]);
    assert.deepEqual([syslog?.server, syslog?.port, syslog?.caFile], ["logs.example.net", 6_514, undefined]);
  });

  for (const own of ["http://127.0.0.1:4318", "http://[::1]:4318/otlp"])
    it(`takes ${own} in clear, which does not leave the device`, async (test) => {
      const path = hostFile(test, { telemetry: { otlp: { url: own, interval: "1m" } } });
      const { otlp } = (await readAt(path)).telemetry;
      assert.deepEqual([otlp?.url, otlp?.intervalSeconds], [own, 60]);
    });

  for (const server of ["logs", "192.0.2.7", "2001:db8::7"])
    it(`takes ${server} as a syslog server`, async (test) => {
      const read = await readAt(hostFile(test, { telemetry: { syslog: { server } } }));
      assert.equal(read.telemetry.syslog?.server, server);
    });

  it("of an accepted file whose authorities cannot be used any more sends nothing to a receiver", async (test) => {
    const directory = ownDirectory(test);
    const { path: caFile } = createAuthority(directory);
    const telemetry = { syslog: { server: "logs", ca_file: caFile } };
    const path = write(join(directory, "steward.json"), { names: ["edge-7"], telemetry });
    await keepHostFile(path, process.getuid?.());
    writeFileSync(caFile, "");
    const { decisions, refusal } = await readDecisionsInForce(path, process.getuid?.());
    assert.match(String(refusal), /ca_file/);
    assert.deepEqual(decisions.names, ["edge-7"]);
    const { otlp, syslog } = decisions.forRooms.telemetry;
    assert.equal(otlp, null);
    const untrusted = JSON.stringify(syslog?.untrusted);
    assert.match(untrusted, /"name":"ca_file","detail":"names .* does not hold a certificate/);
  });
});
