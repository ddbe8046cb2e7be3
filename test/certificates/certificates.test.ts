import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { type Certificates, createCertificates } from "../../src/certificates/certificates.ts";
import type { SelfMade } from "../../src/certificates/self-made.ts";
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
    execFileSync("openssl", ["req", "-x509", ...key, "-subj", `/CN=${name}`, ...files], {
      stdio: "ignore",
    });
    chmodSync(join(home, `${name}.key`), 0o640);
  };
  const install = (name: string, source = name): void => {
    copyFileSync(join(home, `${source}.crt`), join(directory, `${name}.crt`));
    copyFileSync(join(home, `${source}.key`), join(directory, `${name}.key`));
  };
  const opened = (): Certificates => {
    events.length = 0;
    return createCertificates({
      readInstalled: () => readInstalledPairs(directory, { own }),
      selfMade: { read: async () => selfMade } satisfies SelfMade,
      log: () => undefined,
      record: (event) => void events.push(event),
    });
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
      spoil: () => writeFileSync(join(directory, "site.crt"), "nothing"),
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
      why: /open to every user.*chmod o=/,
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

    it(`at a start with a pair ${name}, is the next one that can be used`, async () => {
      install("site", "new");
      spoil();
      const certificates = opened();
      await certificates.read();
      assert.equal(certificates.present()?.installed, null);
      install("another", "low");
      await certificates.read();
      assert.equal(certificates.present()?.facts.subject, "CN=low");
    });
  }

  it("is the next one again where the highest is removed", async () => {
    const certificates = opened();
    install("10", "low");
    install("20", "high");
    await certificates.read();
    rmSync(join(directory, "20.crt"));
    rmSync(join(directory, "20.key"));
    await certificates.read();
    assert.equal(certificates.present()?.facts.subject, "CN=low");
  });
});
