import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { typeInto } from "../../lab/command-line/terminal.ts";
import { benchIn, makeBench, release } from "../../lab/publisher/bench.ts";
import { publisherCommand } from "../../lab/publisher/run-publisher.ts";
import { takeLock } from "../../src/store/files/lock.ts";

describe("steward-publisher", { concurrency: 2 }, () => {
  it("publishes first signed rules in three commands", async (test) => {
    const { site, payload, good } = await makeBench(test);
    await good("init", site, "--product", "demo");
    await good("add", site, payload, ...release);
    const { stdout, stderr } = await good("publish", site);
    assert.equal(stdout, "");
    assert.match(stderr, /Published in \S+\/site\/public: root 1 .* timestamp 1/);
    assert.match(stderr, /New for devices: stable\/rules\/demo-rules-1\.0\.0\.tar\.gz/);
    assert.equal(statSync(join(site, "public", "metadata", "1.root.json")).mode & 0o777, 0o644);
    assert.equal(statSync(join(site, "keys")).mode & 0o777, 0o700);
    assert.equal(statSync(join(site, "keys", "root.pem")).mode & 0o777, 0o600);
  });

  it("shows the published, drafted and still unsigned releases, for people and for programs", async (test) => {
    const { site, payload, good } = await makeBench(test);
    await good("init", site, "--product", "demo");
    await good("publish", site);
    execFileSync("mv", [join(site, "keys", "rules.pem"), join(site, "rules.pem")]);
    const options = ["--waves", "default", "--floor", "0.9.0", "--urgent"];
    const added = await good("add", site, payload, ...release, ...options);
    assert.match(
      added.stderr,
      /rules needs 1 more signature of [0-9a-f]{16} \(as targets version 1 says\): steward-publisher sign/,
    );
    const { stdout } = await good("inspect", site);
    assert.match(stdout, /^product +demo$/m);
    assert.match(stdout, /^timestamp +1 +\S+Z +in 7\.00 d +1 of 1 +[0-9a-f]{16}\*$/m);
    assert.match(stdout, /^rules +2 +\S+Z +in 90\.0 d +0 of 1 +[0-9a-f]{16}$/m);
    assert.match(stdout, /draft +\d+ +demo +any +[0-9a-f]{16} +urgent; floor 0\.9\.0; 7 waves from/);
    const report = JSON.parse((await good("inspect", site, "-o", "json")).stdout);
    assert.equal(report.drafts[0].signatures[0].missing, 1);
    assert.deepEqual(report.targets[0].custom.waves.steps[0], { percent: 1, after_seconds: 14_400 });
    await good("sign", site, "rules", "--key", join(site, "rules.pem"));
    await good("publish", site);
    assert.deepEqual(JSON.parse((await good("inspect", site, "-o", "json")).stdout).drafts, []);
  });

  it("exports an archive, and says how long it is good and what follows from that", async (test) => {
    const { directory, site, payload, good, bad } = await makeBench(test);
    await good("init", site, "--product", "demo");
    await good("add", site, payload, ...release);
    await good("publish", site);
    const out = (name: string): string => join(directory, name);
    const week = await good("export", site, out("week.tar"), "--arch", "aarch64");
    assert.match(
      week.stderr,
      /week\.tar has 1 release, .*\n {2}stable\/rules\/demo-rules-1\.0\.0\.tar\.gz\n/,
    );
    assert.doesNotMatch(week.stderr, /renew/);
    const { stderr } = await good("export", site, out("long.tar"), "--for", "60d");
    assert.match(stderr, /keeps a device that sees nothing else from noticing newer releases/);
    assert.match(stderr, /its own snapshot 2 and timestamp 2; .*: steward-publisher renew \S+, and upload/);
    const short = await bad(10, "export", site, out("short.tar"), "--for", "100d");
    assert.match(short.stderr, /is good until \S+ only, because the published metadata of targets/);
    execFileSync("mv", [join(site, "keys", "timestamp.pem"), out("timestamp.pem")]);
    const keyless = await bad(10, "export", site, out("keyless.tar"), "--for", "60d");
    assert.match(keyless.stderr, /key of timestamp is not at hand/);
    const key = ["--key", out("timestamp.pem")];
    const named = await good("export", site, out("k.tar"), "--for", "60d", ...key, "-o", "json");
    assert.deepEqual(JSON.parse(named.stdout).signed.at(-1), { role: "timestamp", version: 4 });
    for (const wrong of ["0s", "367d", "soon"]) await bad(6, "export", site, out("x.tar"), "--for", wrong);
    await bad(5, "export", site, out("k.tar"));
    await bad(3, "export", site, out("x.tar"), "--product", "nobody");
    assert.equal(existsSync(out("x.tar")), false);
  });

  it("stops a roll-out by an access log, and goes on with it", async (test) => {
    const { directory, site, payload, good, bad } = await makeBench(test);
    await good("init", site, "--product", "demo");
    await good("add", site, payload, ...release, "--waves", "default");
    await good("publish", site);
    const log = join(directory, "access.log");
    const line = (device: number, state: string): string =>
      `192.0.2.${device} - - [23/Nov/2026:07:20:11 +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 9 "-" "-" "steward/0.1.0;v=1, product/demo, rules/demo-rules/1.0.0;state=${state};wave=0.5;device=d00000000000${device}"`;
    writeFileSync(log, `${[line(1, "good"), line(2, "failed"), line(3, "good"), "garbage"].join("\n")}\n`);
    const halt = ["watch", log, site, "--once", "--halt-at", "30%"];
    const { stdout } = await good(...halt);
    assert.match(stdout, /^rules demo-rules 1\.0\.0 +demo +stable +0 +0 +0 +2 +1 +0 +0 +33\.33 %$/m);
    assert.match(stdout, /^4 lines, 0 without a report, 1 malformed/m);
    assert.match(
      stdout,
      /^rules demo-rules 1\.0\.0 goes on: undone on 1 of 3 .*\(33\.33 %\); fewer than 5 may be chance\./m,
    );
    // The next line comes later, while it waits.
    const waiting = bad(10, "watch", log, site, "--halt-at", "45%", "--min-devices", "2");
    appendFileSync(log, `${line(4, "rolled_back")}\n`);
    const { stderr } = await waiting;
    assert.match(
      stderr,
      /undone on 2 of 4 that tried it.*\n.*It is paused, and published in .*timestamp\.json/,
    );
    assert.match((await good("inspect", site)).stdout, /paused since \d{4}-.*1 waves from 2999-12-31/);
    await good(...halt, "--min-devices", "1");
    await good("resume", site, ...release);
    await good("publish", site);
    assert.match((await good("inspect", site)).stdout, /7 waves from 20\d\d-/);
    // With a log of the day before, which was rotated and compressed.
    writeFileSync(`${log}.1`, `${line(7, "good")}\n${line(8, "good")}\n`);
    execFileSync("gzip", [`${log}.1`]);
    const rotated = JSON.parse((await good("watch", log, site, "--once", "--rotated", "-o", "json")).stdout);
    assert.deepEqual([rotated.log.lines, rotated.releases[0].states.good], [7, 4]);
    await bad(6, "watch", log, site, "--once", "--halt-at", "0%");
    await bad(6, "watch", log, site, "--once", "--halt-at", "5%", "--min-devices", "many");
    await bad(2, "watch", log, site, "--once", "--min-devices", "5");
    await bad(6, "watch", log, site, "--once", "--silent-after", "1s");
    await bad(3, "watch", join(directory, "nothing"), site, "--once");
  });

  it("writes the devices that report as targets of Prometheus, and again only when they change", async (test) => {
    const { directory, site, good, bad } = await makeBench(test);
    await good("init", site, "--product", "demo");
    const log = join(directory, "access.log");
    const line = (host: string): string =>
      `${host} - - [23/Nov/2026:07:20:11 +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 9 "-" "-" "steward/0.1.0;v=1, product/demo"\n`;
    writeFileSync(log, `${line("192.0.2.8")}${line("192.0.2.7")}`);
    const file = join(directory, "devices.json");
    const watch = ["watch", log, site, "--once", "--file-sd", file];
    const hosts = () => JSON.parse(readFileSync(file, "utf8"))[0].targets;
    await good(...watch);
    assert.deepEqual(hosts(), ["192.0.2.7:8443", "192.0.2.8:8443"]);
    const { ino } = statSync(file);
    await good(...watch);
    assert.equal(statSync(file).ino, ino);
    appendFileSync(log, line("192.0.2.9"));
    await good(...watch, "--file-sd-port", "443");
    assert.deepEqual(hosts(), ["192.0.2.7:443", "192.0.2.8:443", "192.0.2.9:443"]);
    await bad(2, "watch", log, site, "--once", "--file-sd-port", "443");
    await bad(6, ...watch, "--file-sd-port", "0");
    const named = await bad(6, "watch", log, site, "--once", "--file-sd", join(directory, "devices"));
    assert.match(named.stderr, /--file-sd takes a file whose name ends with \.json or \.yml/);
    await bad(1, "watch", log, site, "--once", "--file-sd", join(directory, "none/devices.json"));
  });

  it("names the owners of keys, and has a draft signed by a command", async (test) => {
    const { directory, site, payload, good, bad } = await makeBench(test);
    await good("init", site, "--product", "demo");
    const key = join(directory, "rules.pem");
    execFileSync("mv", [join(site, "keys", "rules.pem"), key]);
    const row = /^rules +1 +([0-9a-f]{16}) +- +drafted +elsewhere$/m.exec((await good("keys", site)).stdout);
    const id = row?.[1] ?? "";
    const { stdout } = await good("keys", site, "--owner", `${id.slice(0, 8)}=Anna, HSM 2`);
    assert.match(stdout, new RegExp(`^rules +1 +${id} +Anna, HSM 2 +drafted +elsewhere$`, "m"));
    // Every command that misses her signature names her.
    const needs = new RegExp(`rules needs 1 more signature of ${id} \\[Anna, HSM 2\\]`);
    assert.match((await good("add", site, payload, ...release)).stderr, needs);
    assert.match((await bad(5, "publish", site)).stderr, needs);
    assert.match((await good("inspect", site)).stdout, needs);
    for (const words of [
      ["pause", site, ...release],
      ["resume", site, ...release],
      ["renew", site, "rules"],
    ])
      assert.match((await good(...words)).stderr, needs, words[0]);
    const sign = await bad(3, "sign", site, "rules");
    assert.match(sign.stderr, new RegExp(`It needs one of ${id} \\[Anna, HSM 2\\]`));
    const zeros = join(directory, "zeros");
    writeFileSync(zeros, "0".repeat(128));
    const attached = await bad(1, "sign", site, "rules", "--attach", zeros);
    assert.match(attached.stderr, new RegExp(`not a signature of ${id} \\[Anna, HSM 2\\] over`));
    assert.match((await good("discard", site, "rules", "--yes")).stderr, needs);
    await good("add", site, payload, ...release);
    const input = join(directory, "input");
    const command = `cat > ${input} && openssl pkeyutl -sign -rawin -inkey ${key} -in ${input}`;
    await bad(6, "publish", site, "--signer", `${command} | head -c 63`);
    await good("publish", site, "--signer", command);
    const keys = JSON.parse((await good("keys", site, "-o", "json")).stdout);
    assert.deepEqual(keys.find(({ role }: { role: string }) => role === "rules").owner, "Anna, HSM 2");
    await bad(2, "keys", site, "--owner", "Anna");
  });

  it("has a draft signed by openssl: printed, signed elsewhere, attached", async (test) => {
    const { directory, site, good, bad } = await makeBench(test);
    const file = (name: string) => join(directory, name);
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", "-out", file("root.pem")]);
    execFileSync("openssl", ["pkey", "-in", file("root.pem"), "-pubout", "-out", file("root.pub")]);
    await good("init", site, "--public-key", `root=${file("root.pub")}`);
    assert.equal(existsSync(join(site, "keys", "root.pem")), false);
    await bad(5, "publish", site);
    const { stdout } = await good("sign", site, "root", "--print");
    await good("sign", site, "root", "--out", file("bytes"));
    assert.equal(readFileSync(file("bytes"), "utf8"), stdout);
    const expected = execFileSync("jq", ["-jcS", ".signed", join(site, "draft", "root.json")]);
    assert.equal(stdout, expected.toString());
    const places = ["-inkey", file("root.pem"), "-in", file("bytes"), "-out", file("sig")];
    execFileSync("openssl", ["pkeyutl", "-sign", "-rawin", ...places]);
    await good("sign", site, "root", "--attach", file("sig"));
    await good("publish", site);
  });

  it("never overwrites another file with its output", async (test) => {
    const { site, good, bad } = await makeBench(test);
    await good("init", site);
    const key = join(site, "keys", "root.pem");
    const before = readFileSync(key);
    const { stderr } = await bad(5, "sign", site, "root", "--out", key);
    assert.match(stderr, /already exists with other content/);
    assert.deepEqual(readFileSync(key), before);
  });

  it("takes the names that Debian and the kernel have for a processor", async (test) => {
    const { site, payload, good } = await makeBench(test);
    await good("init", site, "--product", "demo");
    const named = (version: string, arch: string) => [
      "--kind",
      "binary",
      "--release",
      version,
      "--arch",
      arch,
    ];
    for (const [arch, version] of Object.entries({ amd64: "1.0.0", aarch64: "1.1.0", armhf: "1.2.0" }))
      await good("add", site, payload, ...named(version, arch), "--allow", "same-bytes");
    const { targets } = JSON.parse((await good("inspect", site, "-o", "json")).stdout);
    const archs = targets.map(({ custom }: { custom: { arch: string } }) => custom.arch);
    assert.deepEqual(archs, ["x64", "arm64", "arm"]);
    assert.equal(targets[1].path, "stable/binary/demo-1.1.0-linux-arm64.tar.gz");
    await good("add", site, "--withdraw", "bad", ...named("1.0.0", "x86_64"));
  });

  it("asks for the passphrase of a key on the terminal, and never without one", async (test) => {
    const { directory, site, good, bad } = await makeBench(test);
    const key = join(directory, "sealed.pem");
    const sealed = ["-aes256", "-pass", "pass:sesame", "-out", key];
    execFileSync("openssl", ["genpkey", "-algorithm", "ed25519", ...sealed]);
    execFileSync("openssl", ["pkey", "-in", key, "-passin", "pass:sesame", "-pubout", "-out", `${key}.pub`]);
    await good("init", site, "--public-key", `rules=${key}.pub`);
    const { stderr } = await bad(2, "sign", site, "rules", "--key", key);
    assert.match(stderr, /has a passphrase\. Run this in a terminal/);
    const words = [...publisherCommand, "sign", site, "rules", "--key", key];
    const { code, screen } = await typeInto(words, [["Passphrase of ", "sesame\r"]]);
    assert.equal(code, 0, screen);
    assert.doesNotMatch(screen, /sesame/);
    await good("publish", site);
  });

  it("says by its exit code that devices could not read the repository", async (test) => {
    const { site, good, bad } = await makeBench(test);
    await good("init", site);
    await good("publish", site);
    const timestamp = join(site, "public", "metadata", "timestamp.json");
    // Another digit than the one that is there, which may be any.
    const spoilt = (_: string, digit: string) => `"sig":"${digit === "0" ? "1" : "0"}`;
    writeFileSync(timestamp, readFileSync(timestamp, "utf8").replace(/"sig":"(.)/, spoilt));
    const { stdout } = await bad(1, "inspect", join(site, "public"));
    assert.match(stdout, /timestamp version 1 lacks 1 good signature/);
  });

  it("withdraws a release by its version", async (test) => {
    const { site, payload, good, bad } = await makeBench(test);
    await good("init", site);
    await good("add", site, payload, ...release);
    await good("publish", site);
    await bad(2, "add", site, payload, ...release, "--withdraw", "breaks doors");
    await good("add", site, ...release, "--withdraw", "breaks doors");
    await good("publish", site);
    assert.match((await good("inspect", site)).stdout, /WITHDRAWN: breaks doors/);
  });
});

const binary = "--kind binary --release 1.0.0";
const rules = release.join(" ");
const withWaves = `add SITE FILE ${rules} --waves default`;

describe("steward-publisher, when something is wrong", { concurrency: 2 }, () => {
  // None of these changes anything, so they share one.
  const bench = benchIn(mkdtempSync(join(tmpdir(), "steward-cli-")));
  before(() => bench.good("init", bench.site));
  after(() => rmSync(bench.directory, { recursive: true, force: true }));
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

  it("ends with 4 at a key that others can read", async (test) => {
    const { site, good, bad } = await makeBench(test);
    await good("init", site);
    chmodSync(join(site, "keys", "root.pem"), 0o644);
    assert.match((await bad(4, "publish", site)).stderr, /chmod 600/);
  });

  it("ends with 5 while another command is at work on the repository", async (test) => {
    const { site, good, bad } = await makeBench(test);
    await good("init", site);
    await good("publish", site);
    const lock = await takeLock(site);
    test.after(() => lock.release());
    assert.match((await bad(5, "renew", site)).stderr, /Another steward-publisher command is using/);
  });
});
