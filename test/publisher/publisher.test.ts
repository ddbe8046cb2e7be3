import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { typeInto } from "../../lab/command-line/terminal.ts";
import {
  type Bench,
  benchIn,
  makeBench,
  publishedBench,
  release,
  startedBench,
} from "../../lab/publisher/bench.ts";
import { publisherCommand } from "../../lab/publisher/run-publisher.ts";
import { takeLock } from "../../src/store/files/lock.ts";

/** Takes a key out of the repository; gives its new place. */
function moveAway({ directory, site }: Bench, role: string): string {
  const place = join(directory, `${role}.pem`);
  renameSync(join(site, "keys", `${role}.pem`), place);
  return place;
}

const reported = (host: string, words = "") =>
  `${host} - - [23/Nov/2026:07:20:11 +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 9 "-" "-" "steward/0.1.0;v=1, product/demo${words}"\n`;

describe("steward-publisher", { concurrency: 2 }, () => {
  it("publishes first signed rules in three commands, and withdraws them by their version", async (test) => {
    const { site, payload, good, bad } = await startedBench(test);
    await good("add", site, payload, ...release);
    const { stdout, stderr } = await good("publish", site);
    assert.equal(stdout, "");
    assert.match(stderr, /Published in \S+\/site\/public: root 1 .* timestamp 1/);
    assert.match(stderr, /New for devices: stable\/rules\/demo-rules-1\.0\.0\.tar\.gz/);
    const modes = ["public/metadata/1.root.json", "keys", "keys/root.pem"];
    const found = modes.map((name) => statSync(join(site, name)).mode & 0o777);
    assert.deepEqual(found, [0o644, 0o700, 0o600]);
    await bad(2, "add", site, payload, ...release, "--withdraw", "breaks doors");
    await good("add", site, ...release, "--withdraw", "breaks doors");
    await good("publish", site);
    assert.match((await good("inspect", site)).stdout, /WITHDRAWN: breaks doors/);
  });

  it("shows the published, drafted and still unsigned releases, for people and for programs", async (test) => {
    const bench = await startedBench(test);
    const { site, payload, good } = bench;
    await good("publish", site);
    const key = moveAway(bench, "rules");
    const options = ["--waves", "default", "--floor", "0.9.0", "--urgent"];
    const added = await good("add", site, payload, ...release, ...options);
    assert.match(
      added.stderr,
      /rules needs 1 more signature of [0-9a-f]{16} \(as targets version 1 says\): steward-publisher sign/,
    );
    const { stdout } = await good("inspect", site);
    for (const line of [
      /^product +demo$/m,
      /^timestamp +1 +\S+Z +in 7\.00 d +1 of 1 +[0-9a-f]{16}\*$/m,
      /^rules +2 +\S+Z +in 90\.0 d +0 of 1 +[0-9a-f]{16}$/m,
      /draft +\d+ +demo +any +[0-9a-f]{16} +urgent; floor 0\.9\.0; 7 waves from/,
    ])
      assert.match(stdout, line);
    const report = async () => JSON.parse((await good("inspect", site, "-o", "json")).stdout);
    const { drafts, targets } = await report();
    assert.equal(drafts[0].signatures[0].missing, 1);
    assert.deepEqual(targets[0].custom.waves.steps[0], { percent: 1, after_seconds: 14_400 });
    await good("sign", site, "rules", "--key", key);
    await good("publish", site);
    assert.deepEqual((await report()).drafts, []);
  });

  it("exports an archive, and says how long it is good and what follows from that", async (test) => {
    const bench = await publishedBench(test);
    const { site, good, bad } = bench;
    const at = (name: string) => join(bench.directory, name);
    const week = (await good("export", site, at("week.tar"), "--arch", "aarch64")).stderr;
    assert.match(week, /week\.tar has 1 release, .*\n {2}stable\/rules\/demo-rules-1\.0\.0\.tar\.gz\n/);
    assert.doesNotMatch(week, /renew/);
    const { stderr } = await good("export", site, at("long.tar"), "--for", "60d");
    assert.match(stderr, /keeps a device that sees nothing else from noticing newer releases/);
    assert.match(stderr, /its own snapshot 2 and timestamp 2; .*: steward-publisher renew \S+, and upload/);
    const short = await bad(10, "export", site, at("short.tar"), "--for", "100d");
    assert.match(short.stderr, /is good until \S+ only, because the published metadata of targets/);
    const key = moveAway(bench, "timestamp");
    const keyless = await bad(10, "export", site, at("keyless.tar"), "--for", "60d");
    assert.match(keyless.stderr, /key of timestamp is not at hand/);
    const named = await good("export", site, at("k.tar"), "--for", "60d", "--key", key, "-o", "json");
    assert.deepEqual(JSON.parse(named.stdout).signed.at(-1), { role: "timestamp", version: 4 });
    for (const wrong of ["0s", "367d", "soon"]) await bad(6, "export", site, at("x.tar"), "--for", wrong);
    await bad(5, "export", site, at("k.tar"));
    await bad(3, "export", site, at("x.tar"), "--product", "nobody");
    assert.equal(existsSync(at("x.tar")), false);
  });

  it("stops a roll-out by an access log, and goes on with it", async (test) => {
    const { directory, site, good, bad } = await publishedBench(test, "--waves", "default");
    const log = join(directory, "access.log");
    const line = (device: number, state: string) =>
      reported(
        `192.0.2.${device}`,
        `, rules/demo-rules/1.0.0;state=${state};wave=0.5;device=d00000000000${device}`,
      );
    writeFileSync(log, `${line(1, "good")}${line(2, "failed")}${line(3, "good")}garbage\n`);
    const halt = ["watch", log, site, "--once", "--halt-at", "30%"];
    const { stdout } = await good(...halt);
    for (const shown of [
      /^rules demo-rules 1\.0\.0 +demo +stable +0 +0 +0 +2 +1 +0 +0 +33\.33 %$/m,
      /^4 lines, 0 without a report, 1 malformed/m,
      /^rules demo-rules 1\.0\.0 goes on: undone on 1 of 3 .*\(33\.33 %\); fewer than 5 may be chance\./m,
    ])
      assert.match(stdout, shown);
    // The next line comes later, while it waits.
    const waiting = bad(10, "watch", log, site, "--halt-at", "45%", "--min-devices", "2");
    appendFileSync(log, line(4, "rolled_back"));
    assert.match(
      (await waiting).stderr,
      /undone on 2 of 4 that tried it.*\n.*It is paused, and published in .*timestamp\.json/,
    );
    assert.match((await good("inspect", site)).stdout, /paused since \d{4}-.*1 waves from 2999-12-31/);
    await good(...halt, "--min-devices", "1");
    await good("resume", site, ...release);
    await good("publish", site);
    assert.match((await good("inspect", site)).stdout, /7 waves from 20\d\d-/);
    // With a log of the day before, which was rotated and compressed.
    writeFileSync(`${log}.1`, `${line(7, "good")}${line(8, "good")}`);
    execFileSync("gzip", [`${log}.1`]);
    const rotated = JSON.parse((await good("watch", log, site, "--once", "--rotated", "-o", "json")).stdout);
    assert.deepEqual([rotated.log.lines, rotated.releases[0].states.good], [7, 4]);
    const once = ["watch", log, site, "--once"];
    await bad(6, ...once, "--halt-at", "0%");
    await bad(6, ...once, "--halt-at", "5%", "--min-devices", "many");
    await bad(2, ...once, "--min-devices", "5");
    await bad(6, ...once, "--silent-after", "1s");
    await bad(3, "watch", join(directory, "nothing"), site, "--once");
  });

  it("writes the devices that report as targets of Prometheus", async (test) => {
    const { directory, site, good, bad } = await startedBench(test);
    const at = (name: string) => join(directory, name);
    const [log, file] = [at("access.log"), at("devices.json")];
    writeFileSync(log, `${reported("192.0.2.8")}${reported("192.0.2.7")}`);
    const once = ["watch", log, site, "--once"];
    const watch = [...once, "--file-sd", file];
    const hosts = () => JSON.parse(readFileSync(file, "utf8"))[0].targets;
    await good(...watch);
    assert.deepEqual(hosts(), ["192.0.2.7:8443", "192.0.2.8:8443"]);
    appendFileSync(log, reported("192.0.2.9"));
    await good(...watch, "--file-sd-port", "443");
    assert.deepEqual(hosts(), ["192.0.2.7:443", "192.0.2.8:443", "192.0.2.9:443"]);
    await bad(2, ...once, "--file-sd-port", "443");
    await bad(6, ...watch, "--file-sd-port", "0");
    const named = await bad(6, ...once, "--file-sd", at("devices"));
    assert.match(named.stderr, /--file-sd takes a file whose name ends with \.json or \.yml/);
    await bad(1, ...once, "--file-sd", at("none/devices.json"));
  });

  it("names the owners of keys, and has a draft signed by a command", async (test) => {
    const bench = await startedBench(test);
    const { site, payload, good, bad } = bench;
    const at = (name: string) => join(bench.directory, name);
    const key = moveAway(bench, "rules");
    const row = /^rules +1 +([0-9a-f]{16}) +- +drafted +elsewhere$/m.exec((await good("keys", site)).stdout);
    const id = row?.[1] ?? "";
    const { stdout } = await good("keys", site, "--owner", `${id.slice(0, 8)}=Anna, HSM 2`);
    assert.match(stdout, new RegExp(`^rules +1 +${id} +Anna, HSM 2 +drafted +elsewhere$`, "m"));
    // Every command that misses her signature names her.
    const needs = new RegExp(`rules needs 1 more signature of ${id} \\[Anna, HSM 2\\]`);
    for (const words of [
      ["add", site, payload, ...release],
      ["pause", site, ...release],
      ["resume", site, ...release],
      ["renew", site, "rules"],
    ])
      assert.match((await good(...words)).stderr, needs, words[0]);
    assert.match((await bad(5, "publish", site)).stderr, needs);
    assert.match((await good("inspect", site)).stdout, needs);
    const sign = await bad(3, "sign", site, "rules");
    assert.match(sign.stderr, new RegExp(`It needs one of ${id} \\[Anna, HSM 2\\]`));
    writeFileSync(at("zeros"), "0".repeat(128));
    const attached = await bad(1, "sign", site, "rules", "--attach", at("zeros"));
    assert.match(attached.stderr, new RegExp(`not a signature of ${id} \\[Anna, HSM 2\\] over`));
    assert.match((await good("discard", site, "rules", "--yes")).stderr, needs);
    await good("add", site, payload, ...release);
    const input = at("input");
    const command = `cat > ${input} && openssl pkeyutl -sign -rawin -inkey ${key} -in ${input}`;
    await bad(6, "publish", site, "--signer", `${command} | head -c 63`);
    await good("publish", site, "--signer", command);
    const keys = JSON.parse((await good("keys", site, "-o", "json")).stdout);
    assert.deepEqual(keys.find(({ role }: { role: string }) => role === "rules").owner, "Anna, HSM 2");
    await bad(2, "keys", site, "--owner", "Anna");
  });

  it("has a draft signed by openssl: printed, signed elsewhere, attached; and overwrites no other file with it", async (test) => {
    const { directory, site, good, bad } = await makeBench(test);
    const [pem = "", pub = "", bytes = "", sig = ""] = ["pem", "pub", "bytes", "sig"].map((name) =>
      join(directory, name),
    );
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", pem]);
    execFileSync("openssl", ["pkey", "-in", pem, "-pubout", "-out", pub]);
    await good("init", site, "--public-key", `root=${pub}`);
    assert.equal(existsSync(join(site, "keys", "root.pem")), false);
    await bad(5, "publish", site);
    const { stdout } = await good("sign", site, "root", "--print");
    const draft = join(site, "draft", "root.json");
    assert.equal(stdout, execFileSync("jq", ["-jcS", ".signed", draft], { encoding: "utf8" }));
    const before = readFileSync(pem);
    const { stderr } = await bad(5, "sign", site, "root", "--out", pem);
    assert.match(stderr, /already exists with other content/);
    assert.deepEqual(readFileSync(pem), before);
    await good("sign", site, "root", "--out", bytes);
    assert.equal(readFileSync(bytes, "utf8"), stdout);
    execFileSync("openssl", ["pkeyutl", "-sign", "-rawin", "-inkey", pem, "-in", bytes, "-out", sig]);
    await good("sign", site, "root", "--attach", sig);
    await good("publish", site);
  });

  it("asks for the passphrase of a key on the terminal, and never without one", async (test) => {
    const { directory, site, good, bad } = await makeBench(test);
    const key = join(directory, "sealed.pem");
    const sealed = ["-aes256", "-pass", "pass:sesame", "-out", key];
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", ...sealed]);
    execFileSync("openssl", ["pkey", "-in", key, "-passin", "pass:sesame", "-pubout", "-out", `${key}.pub`]);
    await good("init", site, "--public-key", `rules=${key}.pub`);
    const sign = ["sign", site, "rules", "--key", key];
    assert.match((await bad(2, ...sign)).stderr, /has a passphrase\. Run this in a terminal/);
    const { code, screen } = await typeInto([...publisherCommand, ...sign], [["Passphrase of ", "sesame\r"]]);
    assert.equal(code, 0, screen);
    assert.doesNotMatch(screen, /sesame/);
    await good("publish", site);
  });

  it("says by its exit code that devices could not read the repository", async (test) => {
    const { site, bad } = await publishedBench(test);
    const timestamp = join(site, "public", "metadata", "timestamp.json");
    // Another digit than the one that is there, which may be any.
    const spoilt = (_: string, digit: string) => `"sig":"${digit === "0" ? "1" : "0"}`;
    writeFileSync(timestamp, readFileSync(timestamp, "utf8").replace(/"sig":"(.)/, spoilt));
    const { stdout } = await bad(1, "inspect", join(site, "public"));
    assert.match(stdout, /timestamp version 1 lacks 1 good signature/);
  });
});

const binary = "--kind binary --release 1.0.0";
const rules = release.join(" ");
const withWaves = `add SITE FILE ${rules} --waves default`;

describe("steward-publisher, when something is wrong", { concurrency: 2 }, () => {
  // None of these changes anything, so they share one.
  const bench = benchIn(scratchDirectory());
  before(() => bench.good("init", bench.site));
  /** The words of a command, in which DIR, SITE and FILE are places of the bench. */
  const mistakes: [name: string, code: number, words: string, message: RegExp][] = [
    ["a directory that is no repository", 3, "publish DIR", /is not a repository.*steward-publisher init/],
    ["init where something is", 5, "init DIR", /is not empty\. Nothing was changed/],
    ["init where a repository is", 5, "init SITE", /holds a repository already/],
    ["init below a missing directory", 3, "init /nowhere/site", /\/nowhere does not exist\. Create it first/],
    ["a role that is none", 2, "init DIR/x --threshold admin=2", /a role of root, /],
    ["a threshold that is none", 6, "init DIR/x --threshold root=0", /from 1 to 32/],
    ["a period that is none", 6, "init DIR/x --expires root=1y", /1m to 3653d/],
    ["a product that is none", 6, "init DIR/x --product A_B", /product "A_B"/],
    ["a release without a kind", 2, "add SITE FILE --release 1.0.0", /--kind is missing/],
    ["a release without a version", 2, "add SITE FILE --kind rules --name x", /--release is missing/],
    ["a binary without an architecture", 2, `add SITE FILE ${binary}`, /--arch is missing/],
    ["an architecture that is none", 2, `add SITE FILE ${binary} --arch pdp11`, /arch.*x64.*amd64/],
    ["a release without a file", 2, `add SITE ${rules}`, /FILE is missing/],
    ["a payload that is not there", 3, `add SITE none.tar.gz ${rules}`, /none\.tar\.gz does not exist/],
    ["a time that is none", 6, `${withWaves} --start monday`, /"monday" is not a time/],
    ["a start without waves", 2, `add SITE FILE ${rules} --start 2026-11-20T00:00:00Z`, /is for --waves/],
    [
      "a new key of no role",
      2,
      "renew SITE root --new-key admin=key.pub",
      /ROLE=FILE, .*not "admin=key\.pub"/,
    ],
    ["a new key that is not there", 3, "renew SITE targets --new-key rules=no.pub", /no\.pub does not exist/],
    ["keys changed in two roles", 2, "renew SITE root targets --new-key root", /one role at a time/],
    ["renewing an unpublished repository", 5, "renew SITE", /Nothing is published yet/],
    ["a path that is not there", 3, "inspect /nowhere/site", /does not exist/],
    ["a file that is no metadata", 6, "inspect FILE", /is not a metadata file/],
    ["the address of an agent", 2, "publish SITE --url https://a.example", /publish" has no option --url/],
  ];
  for (const [name, code, words, message] of mistakes)
    it(`ends with ${code} at ${name}, and says what to do`, async () => {
      const { directory, site, payload } = bench;
      const places: Record<string, string> = { DIR: directory, SITE: site, FILE: payload };
      const given = words.replace(/\b(DIR|SITE|FILE)\b/g, (name) => places[name] ?? name).split(" ");
      const { stdout, stderr } = await bench.bad(code, ...given);
      assert.match(stderr, message);
      assert.equal(stdout, "");
    });

  it("ends with 5 while another command is at work on the repository, and with 4 at a key that others can read", async (test) => {
    const { site, bad } = await publishedBench(test);
    const lock = await takeLock(site);
    assert.match((await bad(5, "renew", site)).stderr, /Another steward-publisher command is using/);
    await lock.release();
    chmodSync(join(site, "keys", "root.pem"), 0o644);
    assert.match((await bad(4, "publish", site)).stderr, /chmod 600/);
  });
});
