import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { type CertificateWish, type Issuer, selfSigned } from "../../../lab/host/certificates.ts";
import {
  type ChainVerifier,
  createVerifyChain,
  type Verification,
} from "../../../src/host/linux/certificates/verify-chain.ts";
import { createRunCommand } from "../../../src/host/linux/commands.ts";

const directory = scratchDirectory();
/** The certificates that are being verified are here for that moment. */
const place = join(directory, "run");
mkdirSync(place);

const caLine = "basicConstraints=critical,CA:TRUE";
const ca: CertificateWish = { name: "Root", extensions: [caLine] };
const root = selfSigned(directory, ca);
const middle = root.issue({ name: "Middle", extensions: [caLine] });
const forName: CertificateWish = {
  name: "time.example",
  extensions: ["basicConstraints=CA:FALSE", "subjectAltName=DNS:time.example", "extendedKeyUsage=serverAuth"],
};
const year2020 = { from: "20200101000000Z", until: "20210101000000Z" };
const leaf = middle.issue(forName);
const leafOf2020 = middle.issue({ ...forName, validity: year2020 });

const at = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1_000;

interface Asked extends Partial<Omit<Verification, "certificates">>, Partial<ChainVerifier> {}

function verify(chain: readonly Issuer[], { run, caFile, directory: inside, ...asked }: Asked = {}) {
  const where = { directory: inside ?? place, caFile: caFile ?? root.path, own: process.getuid?.() };
  return createVerifyChain({ run: run ?? createRunCommand(), ...where })({
    ...{ host: "time.example", atSeconds: at("2026-11-27"), signal: new AbortController().signal },
    ...asked,
    certificates: chain.map(({ cert }) => cert),
  });
}

const codeOf = async (...asked: Parameters<typeof verify>) => (await verify(...asked))?.code ?? null;

afterEach(() => assert.deepEqual(readdirSync(place), [], "certificates were left over"));

describe("a chain is trusted", () => {
  it("that leads to the authority", async () => {
    assert.equal(await verify([leaf, middle]), null);
    assert.equal(await verify([leaf, middle, root]), null);
  });

  it("that the authority has signed itself, with RSA, or that is one certificate which root has named", async () => {
    const key = ["-newkey", "rsa:2048"];
    const rsa = selfSigned(directory, { ...ca, key });
    assert.equal(await verify([rsa.issue({ ...forName, key })], { caFile: rsa.path }), null);
    const own = selfSigned(directory, forName);
    assert.equal(await verify([own], { caFile: own.path }), null);
  });

  it("in any order, with certificates that do not belong to it", async () => {
    const other = root.issue({ name: "Other", extensions: [caLine] });
    const lower = middle.issue({ name: "Lower", extensions: [caLine] });
    assert.equal(await verify([lower.issue(forName), other, root, middle, lower]), null);
  });

  it("for an address, and only for that one", async () => {
    const addressed = middle.issue({ name: "a", extensions: ["subjectAltName=IP:192.0.2.7,IP:fe80::7"] });
    for (const host of ["192.0.2.7", "fe80::7", "fe80::7%eth0"])
      assert.equal(await verify([addressed, middle], { host }), null, host);
    assert.equal(await codeOf([addressed, middle], { host: "192.0.2.8" }), "nts_wrong_name");
    const named = middle.issue({ name: "a", extensions: ["subjectAltName=DNS:192.0.2.7"] });
    assert.equal(await codeOf([named, middle], { host: "192.0.2.7" }), "nts_wrong_name");
  });
});

describe("the dates of certificates", () => {
  const chain = [leafOf2020, middle];

  it("are those of the time that is asked for, not of this machine's clock, of every certificate, or of none", async () => {
    const old = root.issue({ name: "Old", extensions: [caLine], validity: year2020 });
    for (const certificates of [chain, [old.issue(forName), old]])
      for (const [atSeconds, code] of [
        [at("2020-06-01") + 0.5, null],
        [at("2021-01-02"), "nts_certificate_expired"],
        [null, null],
      ] as const)
        assert.equal(await codeOf(certificates, { atSeconds }), code);
    assert.equal(await codeOf(chain, { atSeconds: at("2019-12-31") }), "nts_certificate_not_yet_valid");
  });

  for (const atSeconds of [at("2026-11-27"), at("2019-12-31"), null])
    it(`hide nothing else at ${atSeconds}`, async () => {
      const stranger = selfSigned(directory, ca);
      const strange = stranger.issue({ ...forName, validity: year2020 });
      assert.equal(await codeOf([strange, stranger], { atSeconds }), "nts_unknown_authority");
      assert.equal(await codeOf([strange], { atSeconds }), "nts_unknown_authority");
      const own = selfSigned(directory, { ...forName, validity: year2020 });
      assert.equal(await codeOf([own], { atSeconds }), "nts_unknown_authority");
      assert.equal(await codeOf(chain, { atSeconds, host: "other.example" }), "nts_wrong_name");
      const forClients = [...(forName.extensions?.slice(0, 2) ?? []), "extendedKeyUsage=clientAuth"];
      const client = middle.issue({ ...forName, extensions: forClients, validity: year2020 });
      assert.equal(await codeOf([client, middle], { atSeconds }), "nts_bad_certificate");
    });
});

describe("a chain is not trusted", () => {
  const badly = async (chain: readonly Issuer[], sentence: RegExp): Promise<void> => {
    const failure = await verify(chain);
    assert.equal(failure?.code, "nts_bad_certificate");
    assert.match(failure.cause ?? "", sentence);
  };
  const under = (extensions: readonly string[]): Issuer => root.issue({ name: "Under", extensions });

  it("of an authority that has only the name of the trusted one", async () => {
    const impostor = selfSigned(directory, ca);
    assert.equal(await codeOf([impostor.issue(forName), impostor]), "nts_unknown_authority");
    // Without the key's identifier only the signature differs.
    const unidentified = { extensions: [...(forName.extensions ?? []), "authorityKeyIdentifier=none"] };
    const forged = impostor.issue({ ...forName, ...unidentified });
    assert.deepEqual(await verify([forged]), {
      ...{ code: "nts_unknown_authority", cause: "certificate signature failure" },
    });
    const validity = { from: "20900101000000Z", until: "20950101000000Z" };
    const future = root.issue({ name: "Future", extensions: [caLine], validity });
    const below = impostor
      .issue({ name: "Future", extensions: [caLine] })
      .issue({ ...forName, ...unidentified });
    assert.equal(await codeOf([below, future]), "nts_unknown_authority");
  });

  it("of the authorities of the system, where root has named others", async () => {
    const verifyByDefault = createVerifyChain({ run: createRunCommand(), directory: place });
    const signal = new AbortController().signal;
    const asked = { certificates: [leaf.cert, middle.cert], host: "time.example", atSeconds: null, signal };
    assert.equal((await verifyByDefault(asked))?.code, "nts_unknown_authority");
  });

  it("against the constraints of its names, longer than an authority allows, or through one that is none", async () => {
    const constrained = under([caLine, "nameConstraints=critical,permitted;DNS:good.example"]);
    await badly([constrained.issue(forName), constrained], /permitted subtree/);
    const short = under([`${caLine},pathlen:0`]);
    const lower = short.issue({ name: "Lower", extensions: [caLine] });
    await badly([lower.issue(forName), lower, short], /path length/);
    const plain = under(["basicConstraints=critical,CA:FALSE"]);
    await badly([plain.issue(forName), plain], /invalid CA/);
  });

  it("with a weak key, or over a weak hash", async () => {
    await badly([middle.issue({ ...forName, key: ["-newkey", "rsa:1024"] }), middle], /key too (weak|small)/);
    await badly([middle.issue({ ...forName, hash: "sha1" }), middle], /(digest|MD).*too weak/i);
  });

  it("of too many or too large certificates, or of none, nor by a name that looks like openssl's report", async () => {
    await badly(Array(9).fill(leaf), /more than 8/);
    await badly([{ ...leaf, cert: `${leaf.cert}${" ".repeat(16_384)}` }], /16384 bytes/);
    await badly([], /no certificate/);
    const name = "x\nerror 20 at 0 depth lookup: no issuer";
    const named = middle.issue({ ...forName, name, validity: year2020 });
    assert.equal(await codeOf([named, middle]), "nts_certificate_expired");
  });

  // OpenSSL judges no name where the name is empty, and takes ".example" for every name below it.
  it("for any other host", async () => {
    for (const host of "other.example -CAfile -no_check_time  .example xample time.example.org".split(" "))
      assert.equal(await codeOf([leaf, middle], { host }), "nts_wrong_name", host);
  });
});

describe("nothing is trusted", () => {
  const cannot = async (asked: Asked, cause: RegExp): Promise<void> => {
    const failure = await verify([leaf, middle], asked);
    assert.equal(failure?.code, "nts_cannot_verify");
    assert.match(failure.cause ?? "", cause);
  };

  it("without openssl, and the line to type is said, or where the certificates cannot be written", async () => {
    await cannot({ run: createRunCommand({ path: "/nowhere" }) }, /apt-get install openssl/);
    await cannot({ directory: join(directory, "absent") }, /cannot be written .*ENOENT/);
  });

  /** An openssl that does this. */
  function lying(script: string) {
    const path = scratchDirectory();
    writeFileSync(join(path, "openssl"), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    return createRunCommand({ path });
  }

  it("by an openssl that is silent, finds another file well, or says OK and fails", async () => {
    const failing = 'for last; do :; done; echo "$last: OK"; echo broken >&2; exit 3';
    for (const script of ["exit 0", "echo /other/leaf.pem: OK", failing])
      await cannot({ run: lying(script) }, /openssl verify ended with/);
  });

  it("without the file of authorities, or with one that has none or that others can write", async () => {
    const absent = join(directory, "absent.pem");
    await cannot({ caFile: absent }, /time\.ca_file .*absent\.pem, which does not exist/);
    const empty = join(directory, "empty.pem");
    writeFileSync(empty, "");
    await cannot({ caFile: empty }, /does not hold a certificate/);
    const open = join(directory, "open.pem");
    writeFileSync(open, root.cert);
    chmodSync(open, 0o666);
    await cannot({ caFile: open }, /writable by no other user/);
  });

  it("after the caller has given up, and nothing is left over", async () => {
    const controller = new AbortController();
    const run = lying("exec /bin/sleep 60");
    const verifying = verify([leaf, middle], { run, signal: controller.signal });
    setTimeout(() => controller.abort(new Error("given up")), 100);
    await assert.rejects(verifying, /given up/);
  });
});
