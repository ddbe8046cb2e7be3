import assert from "node:assert/strict";
import { chmodSync, chownSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { createAuthority } from "../../../lab/host/certificates.ts";
import { asRoot } from "../../../lab/host/host-file-of-root.ts";
import { hostFile, ownDirectory, readAt, refused, write } from "../../../lab/host/judged-host-file.ts";
import { plainHostFile, readDecisionsInForce } from "../../../src/programs/host-file/host-file.ts";
import { keepHostFile } from "../../../src/programs/host-file/kept.ts";

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
    const plain = plainHostFile();
    const read = await readAt(path);
    assert.deepEqual(read, {
      ...plain,
      ...{ product: { ...plain.product, name: "pump-7" }, time: { caFile: ca_file } },
      update: {
        ...plain.update,
        ...{ caFile: ca_file, members: { ...plain.update.members, ...ofUpdate } },
        ...{ proxy: update.proxy, allowLocalServers: true, apply: { rules: null, binary: null } },
        redirectOrigins: ["https://cdn.example.net", "http://10.0.0.7:8080"],
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

  for (const [what, text, words] of [
    ["that is not there", null, /does not exist/],
    ["without a certificate", "nothing", /does not hold a certificate/],
    ["that is cut off", certificate.slice(0, 200), /is truncated/],
    ["of which one is none", certificate.replace(/^MII/m, "AII"), /its certificate 1 is not valid/],
    ["without end", "x".repeat(4 * 1024 * 1024 + 1), /more than the limit of 4194304/],
  ] as const)
    it(`does not take a ca_file ${what}: no server could ever be checked`, async (test) => {
      const directory = ownDirectory(test);
      const ca_file = join(directory, "ca.pem");
      if (text !== null) write(ca_file, text);
      await refused(write(join(directory, "steward.json"), { update: { ca_file } }), words);
    });

  const device = createAuthority(scratchDirectory()).certify("device");
  const other = createAuthority(scratchDirectory()).certify("device");
  for (const [what, text, mode, words] of [
    ["with its key", `${device.cert}${device.key}`, 0o640, null],
    ["that everyone can read", `${device.cert}${device.key}`, 0o644, /can be read by every user/],
    ["without a key", device.cert, 0o640, /does not hold a key in PEM/],
    ["with another one's key", `${device.cert}${other.key}`, 0o640, /not that of its first certificate/],
    ["without a certificate", device.key, 0o640, /does not hold a certificate in PEM/],
  ] as const)
    it(`judges a certificate of this device ${what}`, async (test) => {
      const directory = ownDirectory(test);
      const client_certificate_file = write(join(directory, "client.pem"), text);
      chmodSync(client_certificate_file, mode);
      const path = write(join(directory, "steward.json"), { network: { client_certificate_file } });
      if (words !== null) return refused(path, words);
      assert.equal((await readAt(path)).notify.clientCertificateFile, client_certificate_file);
    });
});

describe("a page of the product in the host file", asRoot, () => {
  for (const [what, text, words] of [
    ["that is still to come", null, null],
    ["of 16 characters", "x".repeat(16), null],
    ["with blanks within and a line feed behind", "a text of the page\n", null],
    ["of 15 characters", "x".repeat(15), /secret_file names .*must have 16 characters or more/],
    ["on two lines", `${"x".repeat(16)}\nSteward-Role: admin`, /must have .* on one line/],
    ["of other letters than ASCII", "ä".repeat(16), /must have .* of ASCII/],
  ] as const)
    it(`has a secret that is judged: one ${what}`, async (test) => {
      const directory = ownDirectory(test);
      const secret_file = join(directory, "gate");
      if (text !== null) chmodSync(write(secret_file, text), 0o640);
      const page = {
        name: "pump",
        title: { en: "Pump" },
        url: "https://a.example",
        role: "admin",
        secret_file,
      };
      const path = write(join(directory, "steward.json"), {
        https: { enabled: true },
        product: { pages: [page] },
      });
      if (words !== null) return refused(path, words);
      assert.equal((await readAt(path)).product.pages[0]?.secretFile, secret_file);
    });
});

describe("a page and its sign-in in the host file", asRoot, () => {
  const [plain, own] = ["http://127.0.0.1:444", "https://a.example:444"];
  for (const [url, more, words] of [
    [own, { https: { enabled: true } }, null],
    [own, { product: { sign_in: "https://a.example:8443" } }, null],
    [own, {}, /scheme of its sign-in, http:\/\/a\.example:8470: switch `https` on/],
    [plain, {}, null],
    [plain, { https: { enabled: true } }, /scheme of its sign-in, https:\/\/127\.0\.0\.1:8443: use https/],
    [plain, { product: { sign_in: own } }, null],
  ] as const)
    it(`have one scheme where they have one host: ${url} with ${JSON.stringify(more)}`, async (test) => {
      const pages = [{ name: "pump", title: { en: "Pump" }, url, role: "admin" }];
      const { product = {}, ...rest } = { product: {}, ...more };
      const path = write(join(ownDirectory(test), "steward.json"), {
        ...rest,
        product: { pages, ...product },
      });
      if (words !== null) return refused(path, words);
      assert.equal((await readAt(path)).product.pages.length, 1);
    });
});

describe("telemetry in the host file", asRoot, () => {
  const url = "https://collector.example.net:4318";
  it("names authorities that are there", async (test) => {
    for (const [part, members] of Object.entries({ syslog: { server: "logs" }, otlp: { url } })) {
      const path = hostFile(test, { telemetry: { [part]: { ...members, ca_file: "/etc/none/ca.pem" } } });
      await refused(path, new RegExp(`/telemetry/${part}/ca_file names .*does not exist`));
    }
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

  it("takes a collector of the device in clear, which does not leave it, and a syslog server by its address", async (test) => {
    for (const [own, server] of [
      ["http://127.0.0.1:4318", "192.0.2.7"],
      ["http://[::1]:4318/otlp", "2001:db8::7"],
    ] as const) {
      const telemetry = { otlp: { url: own, interval: "1m" }, syslog: { server } };
      const { otlp, syslog } = (await readAt(hostFile(test, { telemetry }))).telemetry;
      assert.deepEqual([otlp?.url, otlp?.intervalSeconds, syslog?.server], [own, 60, server]);
    }
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

describe("the host file of a trial, away from the usual place", asRoot, () => {
  /** Debian's nobody: a user who is neither root nor, in the words of these tests, the one who runs the agent. */
  const other = 65_534;
  const self = 1_234;

  /** The owners of the file and of its folder, the folder's mode, the user whose files count besides root's, and the refusal. */
  type Row = readonly [
    string,
    file: number,
    folder: number,
    mode: number,
    own?: number | undefined,
    words?: string,
  ];
  const usual = "steward\\.json must belong to root and";
  const rows: readonly Row[] = [
    ["counts where it and its folder belong to the user who runs the agent", self, self, 0o700, self],
    ["counts where that user is root", 0, 0, 0o700, 0],
    ["counts where root has written it into that user's folder", 0, self, 0o700, self],
    ["does not count at the usual place", self, self, 0o700, undefined, usual],
    ["does not count where it is a third one's", other, self, 0o700, self, "must belong to root, or to the"],
    ["does not count in a third one's folder, who could replace it", self, other, 0o700, self, "FOLDER must"],
    ["does not count in a folder of its own that others can write", self, self, 0o770, self, "FOLDER must"],
    ["of root's does not count where another can move root's folder", 0, 0, 0o700, self, "TMP must belong"],
  ];
  for (const [name, file, folder, mode, own, words] of rows)
    it(name, async () => {
      const directory = scratchDirectory();
      const path = write(join(directory, "steward.json"), { product: "demo" });
      chmodSync(directory, mode);
      chownSync(path, file, 0);
      chownSync(directory, folder, 0);
      if (words === undefined) return assert.equal((await readAt(path, own)).product.name, "demo");
      await refused(path, new RegExp(words.replace("FOLDER", directory).replace("TMP", tmpdir())), own);
    });
});
