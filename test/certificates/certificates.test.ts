import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { before, beforeEach, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createCertificates } from "../../src/certificates/certificates.ts";
import { repairIn } from "../../src/contract/finding.ts";
import { readInstalledPairs } from "../../src/host/linux/certificates/installed-pairs.ts";
import type { EventFacts } from "../../src/journal/events/event.ts";

describe("the certificate that HTTPS shows", () => {
  const home = scratchDirectory();
  const directory = join(home, "tls");
  const at = (name: string): string => join(directory, name);
  const events: EventFacts[] = [];
  const own = process.getuid?.();
  const openssl = (...words: string[]) => execFileSync("openssl", words, { stdio: "ignore" });

  /** A certificate of openssl's, made once for each name. */
  const make = (name: string, kind = ["ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"]): void => {
    const [key, certificate] = [join(home, `${name}.key`), join(home, `${name}.crt`)];
    const files = ["-keyout", key, "-out", certificate, "-subj", `/CN=${name}`];
    openssl("req", "-x509", "-newkey", ...kind, "-nodes", ...files);
    chmodSync(key, 0o640);
  };
  const install = (name: string, source = name): void => {
    rmSync(at(`${name}.crt`), { force: true });
    for (const file of ["crt", "key"]) copyFileSync(join(home, `${source}.${file}`), at(`${name}.${file}`));
  };
  const opened = () => {
    events.length = 0;
    const text = (file: string) => readFileSync(join(home, file), "utf8");
    return createCertificates(
      () => readInstalledPairs(directory, { own }),
      async () => ({ certificate: text("self.crt"), key: text("self.key") }),
      () => undefined,
      (event) => void events.push(event),
    );
  };

  before(() => {
    for (const name of ["self", "low", "high", "new"]) make(name);
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
    assert.deepEqual([await certificates.read(), events], [false, []]);
  });

  it("is the installed one with the highest name, from the next reading on, which is an event", async () => {
    const certificates = opened();
    install("10-low", "low");
    await certificates.read();
    assert.equal(certificates.present()?.installed, "10-low");
    install("20-high", "high");
    assert.equal(await certificates.read(), true);
    assert.equal(certificates.present()?.facts.subject, "CN=high");
    const told = events.map(({ type, details }) => [type, details.installed]);
    assert.deepEqual(told, [["https.certificate_changed", "20-high"]]);
  });

  for (const [name, why, spoil] of [
    [
      "with another key",
      /site\.key is not the key of site\.crt/,
      () => copyFileSync(join(home, "low.key"), at("site.key")),
    ],
    ["without a key", /site\.key does not exist/, () => rmSync(at("site.key"))],
    ["that is no PEM", /not valid PEM/, () => writeFileSync(at("site.crt"), "none")],
    [
      "with a key that browsers refuse",
      /site\.key is an RSA key of 1024 bits.*at least 2048/,
      () => {
        make("weak", ["rsa:1024"]);
        install("site", "weak");
      },
    ],
    [
      "whose key every user can read",
      /can be read by every user.*chmod 640/,
      () => chmodSync(at("site.key"), 0o644),
    ],
    [
      "whose key has a passphrase",
      /site\.key has a passphrase.*As root: openssl pkey -in \S+site\.key/,
      () => {
        openssl("ec", "-aes256", "-passout", "pass:x", "-in", join(home, "low.key"), "-out", at("site.key"));
        chmodSync(at("site.key"), 0o640);
      },
    ],
    [
      "that is a link to what certbot has deleted",
      /site\.crt leads nowhere: \S+site\.crt is a link to a place that is absent/,
      () => {
        rmSync(at("site.crt"));
        symlinkSync("/etc/letsencrypt/live/gone/fullchain.pem", at("site.crt"));
      },
    ],
    ["that others can write", /writable by no other user/, () => chmodSync(at("site.crt"), 0o666)],
  ] as const)
    it(`stays what it was where it was replaced by a pair ${name}, and says why, once`, async () => {
      const certificates = opened();
      install("site", "high");
      await certificates.read();
      install("site", "new");
      spoil();
      assert.equal(await certificates.read(), false);
      assert.equal(certificates.present()?.facts.subject, "CN=high");
      assert.match(certificates.refused()[0]?.detail ?? "", why);
      await certificates.read();
      assert.equal(events.map(({ type }) => type).join(), "https.certificate_refused");
      install("site", "new");
      await certificates.read();
      assert.deepEqual([certificates.present()?.facts.subject, certificates.refused()], ["CN=new", []]);
    });

  // The names that clients of an authority give, of which the second is refused, and the line that root types; {} is the
  // directory.
  const [key, chain] = ["install -m 640 -g steward {}", "install -m 644 {}"];
  for (const [client, files, refused, line] of [
    [
      ...["certbot", "README cert.pem chain.pem fullchain.pem privkey.pem", "cert.pem"],
      `${key}/privkey.pem {}/50-ca.key; ${chain}/fullchain.pem {}/50-ca.crt`,
    ],
    [
      "certbot or dehydrated, with a directory",
      ...["edge-7/cert.pem edge-7/fullchain.pem edge-7/privkey.pem", "edge-7"],
      `${key}/edge-7/privkey.pem {}/50-ca.key; ${chain}/edge-7/fullchain.pem {}/50-ca.crt`,
    ],
    [
      ...["acme.sh", "ca.cer edge-7.cer edge-7.key fullchain.cer request.key", "ca.cer"],
      `${key}/edge-7.key {}/50-ca.key; ${chain}/fullchain.cer {}/50-ca.crt`,
    ],
    [
      "lego, with a directory",
      ...["edge-7/edge-7.crt edge-7/edge-7.issuer.crt edge-7/edge-7.key", "edge-7"],
      `${key}/edge-7/edge-7.key {}/50-ca.key; ${chain}/edge-7/edge-7.crt {}/50-ca.crt`,
    ],
    ["a wizard of another system", "edge-7.p12", "edge-7.p12", "mv {}/edge-7.p12 {}/edge-7.p12.refused"],
    [
      "one whose request waits, or is set aside",
      "request.key site.crt.refused site.crt.expired old/notes.txt",
    ],
  ])
    it(`is said not to be that of ${client}, where there is no pair`, async () => {
      for (const file of files?.split(" ") ?? []) {
        mkdirSync(dirname(at(file)), { recursive: true });
        writeFileSync(at(file), "");
      }
      const certificates = opened();
      await certificates.read();
      const [found] = certificates.refused();
      const typed = line?.replaceAll("{}", directory);
      assert.deepEqual([found?.name, repairIn(found?.detail ?? "")], [refused, typed]);
    });

  it("is lego's, beside which that of the authority lies", async () => {
    install("_.example.net", "high");
    copyFileSync(join(home, "low.crt"), at("_.example.net.issuer.crt"));
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
    for (const [each, subject] of [
      [certificates, "CN=high"],
      [opened(), "CN=self"],
    ] as const) {
      await each.read();
      assert.match(each.refused()[0]?.detail ?? "", /tls leads nowhere.*As root: mv /);
      assert.equal(each.present()?.facts.subject, subject);
    }
  });
});
