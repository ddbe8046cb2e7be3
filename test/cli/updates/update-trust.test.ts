import assert from "node:assert/strict";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
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
import {
  runSteward,
  runStewardProcess,
  stewardCommand,
  temporaryDirectory,
} from "../../../lab/command-line/run-steward.ts";
import { runAgainst, startAgent } from "../../../lab/command-line/scripted-agent.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import { canonical } from "../../../lab/publisher/canonical.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { placeholderKey, sha256 } from "../../../lab/publisher/signing-key.ts";

/** A publisher's root in a file, and a folder for the host file. */
function desk(test: TestContext, repository = new SignedRepository()) {
  const directory = temporaryDirectory(test);
  const etc = join(directory, "etc");
  mkdirSync(etc);
  const file = join(directory, "root.json");
  writeFileSync(file, repository.metadata("1.root"));
  const target = join(etc, "update-root.json");
  const install = (...more: string[]) =>
    runSteward(["update", "trust", "install", file, ...more], {
      environment: { STEWARD_HOST_FILE: join(etc, "steward.json") },
    });
  return { repository, directory, etc, file, target, install };
}

function fingerprintOf(repository: SignedRepository): string {
  return sha256(canonical(repository.root));
}

const grouped = (fingerprint: string) => (fingerprint.match(/.{4}/g) ?? []).slice(0, 8).join(" ");

describe("steward update trust install", { concurrency: true }, () => {
  it("puts the file beside the host file, for everybody to read, and shows its fingerprint", async (test) => {
    const { repository, file, target, install } = desk(test);
    const { code, stderr } = await install();
    assert.equal(code, 0, stderr);
    assert.deepEqual(readFileSync(target), readFileSync(file));
    assert.equal(statSync(target).mode & 0o777, 0o644);
    assert.ok(stderr.includes(grouped(fingerprintOf(repository))), stderr);
    assert.match(stderr, /then: steward update trust confirm/);
  });

  it("says the same for programs, in the words of the API", async (test) => {
    const { repository, install } = desk(test);
    const { fingerprint, root_version, keys } = JSON.parse((await install("-o", "json")).stdout);
    assert.deepEqual([fingerprint, root_version], [fingerprintOf(repository), 1]);
    assert.deepEqual(
      keys.find(({ role }: { role: string }) => role === "root"),
      { role: "root", threshold: 1, key_ids: repository.keys.root?.map(({ id }) => id) },
    );
  });

  it("is content with the same one a second time", async (test) => {
    const { install, target } = desk(test);
    await install();
    const before = statSync(target);
    const { code, stderr } = await install();
    assert.deepEqual([code, statSync(target).ino], [0, before.ino]);
    assert.match(stderr, /is already in .*update-root\.json/);
  });

  it("does not put it in the place of another one, except with --replace", async (test) => {
    const { install, target, etc } = desk(test);
    const other = desk(test);
    writeFileSync(target, other.repository.metadata("1.root"));
    const refused = await install();
    assert.equal(refused.code, 5);
    assert.match(
      refused.stderr,
      new RegExp(`another one, with the fingerprint ${fingerprintOf(other.repository)}`),
    );
    assert.deepEqual(readFileSync(target), other.repository.metadata("1.root"));
    assert.equal((await install("--replace")).code, 0);
    assert.notDeepEqual(readFileSync(target), other.repository.metadata("1.root"));
    assert.deepEqual(readdirSync(etc), ["update-root.json"]);
  });

  it("replaces one that cannot be used only with --replace, too", async (test) => {
    const { install, target } = desk(test);
    writeFileSync(target, "{}");
    const { code, stderr } = await install();
    assert.equal(code, 5);
    assert.match(stderr, /holds one that cannot be used/);
  });

  const placeholders: [string, string][] = [
    ["a key of zeros", "00".repeat(32)],
    ["the identity", `01${"00".repeat(31)}`],
    ["a point of order 8", "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a"],
    ["a key that is not written as it must be", `${"ff".repeat(31)}7f`],
  ];
  for (const [what, hex] of placeholders) {
    it(`refuses a root with ${what}, and says why`, async (test) => {
      const repository = new SignedRepository();
      repository.keys.timestamp = [placeholderKey(hex)];
      repository.publishRoot();
      const { file, target, install } = desk(test, repository);
      writeFileSync(file, repository.metadata("2.root"));
      const { code, stderr } = await install();
      assert.equal(code, 5, stderr);
      assert.match(stderr, /^steward: This root of trust cannot be used\. .*key/);
      assert.equal(existsSync(target), false);
    });
  }

  it("refuses a root that its own keys have not signed", async (test) => {
    const { file, target, install } = desk(test);
    const text = readFileSync(file, "utf8").replace('"version": 1', '"version": 7');
    writeFileSync(file, text);
    const { code } = await install();
    assert.deepEqual([code, existsSync(target)], [5, false]);
  });

  const nonsense: [string, string | null, number][] = [
    ["a file that is not there", null, 3],
    ["no JSON", "root", 5],
    ["HTML", "<html>", 5],
    ["another role", new SignedRepository().metadata("timestamp").toString(), 5],
    ["a file without end", "x".repeat(600_000), 5],
  ];
  for (const [what, text, exit] of nonsense) {
    it(`refuses ${what} with ${exit}`, async (test) => {
      const { directory, etc } = desk(test);
      const file = join(directory, "given.json");
      if (text !== null) writeFileSync(file, text);
      const { code, stderr } = await runSteward(`update trust install ${file}`, {
        environment: { STEWARD_HOST_FILE: join(etc, "steward.json") },
      });
      assert.equal(code, exit, stderr);
      assert.deepEqual(readdirSync(etc), []);
    });
  }

  it("is not done over the network: the device's owner decides what runs there", async (test) => {
    const { file } = desk(test);
    const { code, stderr } = await runSteward(`update trust install ${file} --url http://127.0.0.1:1`);
    assert.equal(code, 2);
    assert.match(stderr, /run it on the device, without --url/);
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
  it("shows the fingerprint in groups and in full, roles, thresholds, keys, and the missing steps", async (test) => {
    const { code, stdout } = await runAgainst(test, "update trust show", {
      "GET /api/updates": { body: exampleUpdates() },
    });
    assert.equal(code, 0);
    assert.match(stdout, /^An administrator has yet to confirm the fingerprint/);
    assert.match(stdout, /^ {2}0123 4567 89ab cdef 0123 4567 89ab cdef$/m);
    assert.match(stdout, new RegExp(`^fingerprint +${exampleFingerprint}$`, "m"));
    assert.match(stdout, /^root +2 of 3 +a{16}, b{16}, c{16}$/m);
    assert.match(stdout, /^timestamp +1 of 1 +d{16}$/m);
    assert.match(stdout, /^confirmed +no$/m);
  });

  it("prints the API's own shape with -o json", async (test) => {
    const { stdout } = await runAgainst(test, "-o json update trust show", {
      "GET /api/updates": { body: exampleUpdates() },
    });
    assert.deepEqual(JSON.parse(stdout), exampleTrust);
  });
});

describe("steward update trust confirm", { concurrency: true }, () => {
  const agentWith = (test: TestContext) =>
    startAgent(test, {
      "GET /api/updates": { body: exampleUpdates() },
      "POST /api/updates/trust": {
        body: exampleUpdates({
          trust: {
            ...exampleTrust,
            confirmed: true,
            status: { code: "not_proven", detail: "Run a check.", reason: null },
          },
        }),
      },
    });
  const posted = (received: readonly { method: string; body: unknown }[]) =>
    received.filter(({ method }) => method === "POST").map(({ body }) => body);

  it("takes the whole fingerprint, as it is or as a person reads it out", async (test) => {
    const { socketPath, received } = await agentWith(test);
    const spoken = (exampleFingerprint.toUpperCase().match(/.{2}/g) ?? []).join(":");
    for (const given of [exampleFingerprint, spoken]) {
      const { code, stderr } = await runSteward([
        "update",
        "trust",
        "confirm",
        given,
        "--socket",
        socketPath,
      ]);
      assert.equal(code, 0, stderr);
      assert.match(stderr, /^The root of trust is confirmed\. Run a check\./);
    }
    assert.deepEqual(posted(received), [
      { fingerprint: exampleFingerprint },
      { fingerprint: exampleFingerprint },
    ]);
  });

  for (const part of [exampleFingerprint.slice(0, 16), `${exampleFingerprint}0`, "yes", ""]) {
    it(`does not take ${JSON.stringify(part)} for it`, async (test) => {
      const { socketPath, received } = await agentWith(test);
      const { code } = await runSteward(["update", "trust", "confirm", part, "--socket", socketPath]);
      assert.deepEqual([code, posted(received)], [6, []]);
    });
  }

  it("without a terminal wants the whole fingerprint, also with --yes", async (test) => {
    const { socketPath, received } = await agentWith(test);
    const { code, stderr } = await runSteward(`update trust confirm --yes --socket ${socketPath}`);
    assert.deepEqual([code, posted(received)], [2, []]);
    assert.match(stderr, /give the whole fingerprint/);
  });

  const answers: [typed: string, exit: number, isConfirmed: boolean][] = [
    ["yes", 0, true],
    [exampleFingerprint, 0, true],
    [(exampleFingerprint.match(/.{4}/g) ?? []).join(" "), 0, true],
    ["", 1, false],
    ["no", 1, false],
    ["f".repeat(64), 1, false],
    ["0123 4567", 6, false],
  ];
  for (const [typed, exit, isConfirmed] of answers) {
    it(`on a terminal ends with ${exit} at ${JSON.stringify(typed.slice(0, 20))}`, async (test) => {
      const { socketPath, received } = await agentWith(test);
      const words = [...stewardCommand, "update", "trust", "confirm", "--socket", socketPath];
      const { code, screen } = await typeInto(words, [["compared all of it: ", `${typed}\n`]]);
      assert.equal(code, exit, screen);
      assert.match(screen, /0123 4567 89ab cdef/);
      assert.equal(posted(received).length, isConfirmed ? 1 : 0);
    });
  }
});
