import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { type Certificates, createCertificates } from "../../src/certificates/certificates.ts";
import { repairIn } from "../../src/contract/finding.ts";
import { readInstalledPairs } from "../../src/host/linux/certificates/installed-pairs.ts";
import type { EventFacts } from "../../src/journal/events/event.ts";

describe("the certificate that HTTPS shows", () => {
  const home = scratchDirectory();
  let directory: string;
  const events: EventFacts[] = [];
  const own = process.getuid?.();

  /** A certificate of openssl's, made once for each name. */
  const make = (name: string, kind = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]): void => {
    const key = ["-newkey", ...kind, "-nodes"];
    const files = ["-keyout", join(home, `${name}.key`), "-out", join(home, `${name}.crt`)];
    execFileSync("openssl", ["req", "-x509", ...key, "-subj", `/CN=${name}`, ...files], { stdio: "ignore" });
    chmodSync(join(home, `${name}.key`), 0o640);
  };
  const install = (name: string, source = name): void => {
    rmSync(join(directory, `${name}.crt`), { force: true });
    copyFileSync(join(home, `${source}.crt`), join(directory, `${name}.crt`));
    copyFileSync(join(home, `${source}.key`), join(directory, `${name}.key`));
  };
  const opened = (): Certificates => {
    events.length = 0;
    return createCertificates(
      () => readInstalledPairs(directory, { own }),
      async () => selfMade,
      () => undefined,
      (event) => void events.push(event),
    );
  };
  let selfMade: { certificate: string; key: string };

  before(async () => {
    for (const name of ["self", "low", "high", "new"]) make(name);
    const { readFileSync } = await import("node:fs");
    selfMade = {
      certificate: readFileSync(join(home, "self.crt"), "utf8"),
      key: readFileSync(join(home, "self.key"), "utf8"),
    };
    directory = join(home, "tls");
  });
  beforeEach(() => {
    rmSync(directory, { recursive: true, force: true });
    mkdirSync(directory, { mode: 0o755 });
  });

  it("is the device's own where none is installed, and where there is no directory", async () => {
    const certificates = opened();
    assert.equal(await certificates.read(), true);
    assert.equal(certificates.present()?.facts.subject, "CN=self");
    rmSync(directory, { recursive: true });
    assert.equal(await certificates.read(), false);
    assert.deepEqual(events, []);
  });

  it("is the installed one with the highest name, from the next reading on, which is an event", async () => {
    const certificates = opened();
    install("10-low", "low");
    await certificates.read();
    assert.equal(certificates.present()?.installed, "10-low");
    install("20-high", "high");
    assert.equal(await certificates.read(), true);
    assert.equal(certificates.present()?.facts.subject, "CN=high");
    assert.deepEqual(
      events.map(({ type, details }) => [type, details.installed]),
      [["https.certificate_changed", "20-high"]],
    );
  });

  const bad: Record<string, { spoil: () => void; why: RegExp }> = {
    "with another key": {
      spoil: () => copyFileSync(join(home, "low.key"), join(directory, "site.key")),
      why: /site\.key is not the key of site\.crt/,
    },
    "without a key": { spoil: () => rmSync(join(directory, "site.key")), why: /site\.key does not exist/ },
    "that is no PEM": {
      spoil: () => writeFileSync(join(directory, "site.crt"), "none"),
      why: /not valid PEM/,
    },
    "with a key that browsers refuse": {
      spoil: () => {
        make("weak", ["rsa:1024"]);
        install("site", "weak");
      },
      why: /site\.key is an RSA key of 1024 bits.*at least 2048/,
    },
    "whose key every user can read": {
      spoil: () => chmodSync(join(directory, "site.key"), 0o644),
      why: /can be read by every user.*chmod 640/,
    },
    "whose key has a passphrase": {
      spoil: () => {
        const key = join(directory, "site.key");
        execFileSync(
          "openssl",
          ["ec", "-aes256", "-passout", "pass:x", "-in", join(home, "low.key"), "-out", key],
          { stdio: "ignore" },
        );
        chmodSync(key, 0o640);
      },
      why: /site\.key has a passphrase.*As root: openssl pkey -in \S+site\.key/,
    },
    "that is a link to what certbot has deleted": {
      spoil: () => {
        rmSync(join(directory, "site.crt"));
        symlinkSync("/etc/letsencrypt/live/gone/fullchain.pem", join(directory, "site.crt"));
      },
      why: /site\.crt leads nowhere: \S+site\.crt is a link to a place that is absent/,
    },
    "that others can write": {
      spoil: () => chmodSync(join(directory, "site.crt"), 0o666),
      why: /writable by no other user/,
    },
  };
  for (const [name, { spoil, why }] of Object.entries(bad)) {
    it(`stays what it was where it was replaced by a pair ${name}, and says why`, async () => {
      const certificates = opened();
      install("site", "high");
      await certificates.read();
      install("site", "new");
      spoil();
      assert.equal(await certificates.read(), false);
      assert.equal(certificates.present()?.facts.subject, "CN=high");
      assert.match(certificates.refused()[0]?.detail ?? "", why);
      await certificates.read();
      assert.deepEqual(
        events.map(({ type }) => type),
        ["https.certificate_refused"],
        "told once",
      );
      install("site", "new");
      await certificates.read();
      assert.equal(certificates.present()?.facts.subject, "CN=new");
      assert.deepEqual(certificates.refused(), []);
    });
  }

  // The names that clients of an authority give, and the line that root types; {} is the directory.
  const { key, chain } = { key: "install -m 640 -g steward", chain: "install -m 644" };
  const clients: Record<string, { files: readonly string[]; refused: string | null; line?: string }> = {
    certbot: {
      files: ["README", "cert.pem", "chain.pem", "fullchain.pem", "privkey.pem"],
      refused: "cert.pem",
      line: `${key} {}/privkey.pem {}/50-ca.key; ${chain} {}/fullchain.pem {}/50-ca.crt`,
    },
    "certbot or dehydrated, with a directory": {
      files: ["edge-7/cert.pem", "edge-7/fullchain.pem", "edge-7/privkey.pem"],
      refused: "edge-7",
      line: `${key} {}/edge-7/privkey.pem {}/50-ca.key; ${chain} {}/edge-7/fullchain.pem {}/50-ca.crt`,
    },
    "acme.sh": {
      files: ["ca.cer", "edge-7.cer", "edge-7.key", "fullchain.cer", "request.key"],
      refused: "ca.cer",
      line: `${key} {}/edge-7.key {}/50-ca.key; ${chain} {}/fullchain.cer {}/50-ca.crt`,
    },
    "lego, with a directory": {
      files: ["edge-7/edge-7.crt", "edge-7/edge-7.issuer.crt", "edge-7/edge-7.key"],
      refused: "edge-7",
      line: `${key} {}/edge-7/edge-7.key {}/50-ca.key; ${chain} {}/edge-7/edge-7.crt {}/50-ca.crt`,
    },
    "a wizard of another system": {
      files: ["edge-7.p12"],
      refused: "edge-7.p12",
      line: "mv {}/edge-7.p12 {}/edge-7.p12.refused",
    },
    "nobody: only a request waits, and old ones are set aside": {
      files: ["request.key", "site.crt.refused", "site.crt.expired", "old/notes.txt"],
      refused: null,
    },
  };
  for (const [client, { files, refused, line }] of Object.entries(clients))
    it(`is said not to be that of ${client}, where there is no pair`, async () => {
      for (const file of files) {
        mkdirSync(dirname(join(directory, file)), { recursive: true });
        writeFileSync(join(directory, file), "");
      }
      const certificates = opened();
      await certificates.read();
      const [found] = certificates.refused();
      assert.equal(found?.name ?? null, refused);
      if (line !== undefined) assert.equal(repairIn(found?.detail ?? ""), line.replaceAll("{}", directory));
    });

  it("is lego's, beside which that of the authority lies", async () => {
    install("_.example.net", "high");
    copyFileSync(join(home, "low.crt"), join(directory, "_.example.net.issuer.crt"));
    const certificates = opened();
    await certificates.read();
    assert.deepEqual([certificates.present()?.installed, certificates.refused()], ["_.example.net", []]);
  });

  it("stays where the directory cannot be looked into, and is the device's own after a start", async () => {
    const certificates = opened();
    install("site", "high");
    await certificates.read();
    rmSync(directory, { recursive: true });
    symlinkSync("/data/tls", directory);
    const restarted = opened();
    for (const each of [certificates, restarted]) {
      await each.read();
      assert.match(each.refused()[0]?.detail ?? "", /tls leads nowhere.*As root: mv /);
    }
    const subjects = [certificates, restarted].map((each) => each.present()?.facts.subject);
    assert.deepEqual(subjects, ["CN=high", "CN=self"]);
  });
});
