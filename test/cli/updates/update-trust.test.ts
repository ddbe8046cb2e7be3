import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { noOtherUser } from "../../../lab/basics/other-user.ts";
import {
  exampleFingerprint,
  exampleTrust,
  exampleUpdates,
} from "../../../lab/command-line/example-updates.ts";
import { canonical } from "../../../lab/publisher/canonical.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { placeholderKey, sha256 } from "../../../lab/publisher/signing-key.ts";
import {
  ended,
  endedAlone,
  ends,
  endsOnTerminal,
  runStewardProcess,
  temporaryDirectory,
} from "../fixture.ts";

/** A publisher's root in a file, and a folder for the host file. */
function desk(test: TestContext, repository = new SignedRepository()) {
  const directory = temporaryDirectory(test);
  const etc = join(directory, "etc");
  mkdirSync(etc);
  const file = join(directory, "root.json");
  writeFileSync(file, repository.metadata("1.root"));
  const target = join(etc, "update-root.json");
  const environment = { STEWARD_HOST_FILE: join(etc, "steward.json") };
  /** Installs it, which ends so. */
  const install = (more = "", end: Parameters<typeof endedAlone>[1] = {}) =>
    endedAlone(`update trust install ${file} ${more}`.trim(), { ...end, environment });
  return { repository, directory, etc, file, target, install };
}

function fingerprintOf(repository: SignedRepository): string {
  return sha256(canonical(repository.root));
}

const grouped = (fingerprint: string) => (fingerprint.match(/.{4}/g) ?? []).slice(0, 8).join(" ");

describe("steward update trust install", { concurrency: true }, () => {
  it("puts the file beside the host file, for everybody to read, and shows its fingerprint", async (test) => {
    const { repository, file, target, install } = desk(test);
    const { stderr } = await install("", { stderr: /then: steward update trust confirm/ });
    assert.deepEqual(readFileSync(target), readFileSync(file));
    assert.equal(statSync(target).mode & 0o777, 0o644);
    assert.ok(stderr.includes(grouped(fingerprintOf(repository))), stderr);
  });

  it("says the same for programs, in the words of the API", async (test) => {
    const { repository, install } = desk(test);
    const { fingerprint, root_version, keys } = JSON.parse((await install("-o json")).stdout);
    assert.deepEqual([fingerprint, root_version], [fingerprintOf(repository), 1]);
    const key_ids = repository.keys.root?.map(({ id }) => id);
    const ofRoot = keys.find(({ role }: { role: string }) => role === "root");
    assert.deepEqual(ofRoot, { role: "root", threshold: 1, key_ids });
  });

  it("is content with the same one a second time", async (test) => {
    const { install, target } = desk(test);
    await install();
    const { ino } = statSync(target);
    await install("", { stderr: /is already in .*update-root\.json/ });
    assert.equal(statSync(target).ino, ino);
  });

  it("does not put it in the place of another one, or of one that cannot be used, except with --replace", async (test) => {
    const { install, target, etc, file } = desk(test);
    const { repository } = desk(test);
    const another = new RegExp(`another one, with the fingerprint ${fingerprintOf(repository)}`);
    for (const [present, stderr] of [
      [String(repository.metadata("1.root")), another],
      ["{}", /holds one that cannot be used/],
    ] as const) {
      writeFileSync(target, present);
      await install("", { code: 5, stderr });
      assert.equal(readFileSync(target, "utf8"), present);
      await install("--replace");
      assert.deepEqual(readFileSync(target), readFileSync(file));
    }
    assert.deepEqual(readdirSync(etc), ["update-root.json"]);
  });

  for (const [what, hex] of [
    ["a key of zeros", "00".repeat(32)],
    ["the identity", `01${"00".repeat(31)}`],
    ["a point of order 8", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"],
    ["a key that is not written as it must be", `${"ff".repeat(31)}7f`],
  ] as const)
    it(`refuses a root with ${what}, and says why`, async (test) => {
      const repository = new SignedRepository();
      repository.keys.timestamp = [placeholderKey(hex)];
      repository.publishRoot();
      const { file, target, install } = desk(test, repository);
      writeFileSync(file, repository.metadata("2.root"));
      await install("", { code: 5, stderr: /^steward: This root of trust cannot be used\. .*key/ });
      assert.equal(existsSync(target), false);
    });

  const unsigned = new SignedRepository().metadata("1.root").toString();
  for (const [what, text, code] of [
    ["a file that is not there", null, 3],
    ["no JSON", "root", 5],
    ["HTML", "<html>", 5],
    ["another role", new SignedRepository().metadata("timestamp").toString(), 5],
    ["a root that its own keys have not signed", unsigned.replace('"version": 1', '"version": 7'), 5],
    ["a file without end", "x".repeat(600_000), 5],
  ] as const)
    it(`refuses ${what} with ${code}`, async (test) => {
      const { file, etc, install } = desk(test);
      rmSync(file);
      if (text !== null) writeFileSync(file, text);
      await install("", { code });
      assert.deepEqual(readdirSync(etc), []);
    });

  it("is not done over the network: the device's owner decides what runs there", async (test) => {
    const stderr = /run it on the device, without --url/;
    await desk(test).install("--url http://127.0.0.1:1", { code: 2, stderr });
  });

  it("ends with 4 and why for who may not write there", { skip: noOtherUser() }, async (test) => {
    const { directory, file, etc } = desk(test);
    for (const path of [directory, etc]) chmodSync(path, 0o755);
    chmodSync(file, 0o644);
    const { code, stderr } = await runStewardProcess(`update trust install ${file}`, {
      environment: { STEWARD_HOST_FILE: join(etc, "steward.json") },
      uid: 65_534,
    });
    assert.equal(code, 4, stderr);
    assert.match(stderr, /update-root\.json is root's; run the command as root/);
    assert.deepEqual(readdirSync(etc), []);
  });
});

describe("steward update trust show", { concurrency: true }, () => {
  const answers = { "GET /api/updates": { body: exampleUpdates() } };

  it("shows the fingerprint in groups and in full, roles, thresholds, keys, and the missing steps", (test) =>
    ends(test, "update trust show", answers, {
      stdout: [
        /^An administrator has yet to confirm the fingerprint/,
        /^ {2}0123 4567 89ab cdef 0123 4567 89ab cdef$/m,
        new RegExp(`^fingerprint +${exampleFingerprint}$`, "m"),
        /^root +2 of 3 +a{16}, b{16}, c{16}$/m,
        /^timestamp +1 of 1 +d{16}$/m,
        /^confirmed +no$/m,
      ],
    }));

  it("prints the API's own shape with -o json", async (test) => {
    const { stdout } = await ended(test, "-o json update trust show", answers);
    assert.deepEqual(JSON.parse(stdout), exampleTrust);
  });
});

describe("steward update trust confirm", { concurrency: true }, () => {
  const status = { code: "not_proven", detail: "Run a check.", reason: null } as const;
  const answers = {
    "GET /api/updates": { body: exampleUpdates() },
    "POST /api/updates/trust": {
      body: exampleUpdates({ trust: { ...exampleTrust, confirmed: true, status } }),
    },
  };
  const sent = [["POST /api/updates/trust", { fingerprint: exampleFingerprint }]] as const;
  const inPieces = (form: RegExp) => exampleFingerprint.match(form) ?? [];

  // As it is, or as a person reads it out.
  for (const given of [exampleFingerprint, inPieces(/.{2}/g).join(":").toUpperCase()])
    it(`takes the whole fingerprint: ${given.slice(0, 8)}…`, (test) => {
      const stderr = /^The root of trust is confirmed\. Run a check\./;
      return ends(test, `update trust confirm ${given}`, answers, { stderr, sent });
    });

  for (const part of [exampleFingerprint.slice(0, 16), `${exampleFingerprint}0`, "yes", ""])
    it(`does not take ${JSON.stringify(part)} for it`, (test) =>
      ends(test, ["update", "trust", "confirm", part], answers, { code: 6, sent: [] }));

  it("without a terminal wants the whole fingerprint, also with --yes", (test) => {
    const end = { code: 2, stderr: /give the whole fingerprint/, sent: [] };
    return ends(test, "update trust confirm --yes", answers, end);
  });

  for (const [typed, code] of [
    ["yes", 0],
    [exampleFingerprint, 0],
    [inPieces(/.{4}/g).join(" "), 0],
    ["", 1],
    ["no", 1],
    ["f".repeat(64), 1],
    ["0123 4567", 6],
  ] as const)
    it(`on a terminal ends with ${code} at ${JSON.stringify(typed.slice(0, 20))}`, (test) => {
      const end = { code, screen: /0123 4567 89ab cdef/, sent: code === 0 ? sent : [] };
      const answer = ["compared all of it: ", `${typed}\n`] as const;
      return endsOnTerminal(test, "update trust confirm", answers, [answer], end);
    });
});
