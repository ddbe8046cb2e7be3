import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  cpSync,
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
import { typeInto } from "../../lab/command-line/terminal.ts";
import { type Bench, publishRelease, release, startedBench } from "../../lab/publisher/bench.ts";
import { publisherCommand, runPublisherAt } from "../../lab/publisher/run-publisher.ts";
import { deviceOf } from "../publishing/clients.ts";

/** A repository with a published release, and the places of what its publisher keeps. */
async function published(test: TestContext, ...options: string[]) {
  const bench = await startedBench(test, ...options);
  const kept = join(bench.directory, "kept");
  await publishRelease(bench);
  return { ...bench, kept, from: join(kept, "public"), keys: join(kept, "keys") };
}

const sh = (script: string, cwd: string) => execFileSync("sh", ["-euc", script], { cwd, stdio: "pipe" });

/** Only what the page for publishers says to keep is left. */
const lose = ({ directory }: Bench) => sh("mkdir kept; mv site/public site/keys kept; rm -r site", directory);

const metadataOf = ({ site }: Pick<Bench, "site">, name: string) =>
  JSON.parse(readFileSync(join(site, "public", "metadata", name), "utf8")).signed;

describe("steward-publisher init --from", { concurrency: 2 }, () => {
  it("makes a lost repository again, which devices follow that have read an exported archive", async (test) => {
    const bench = await published(test, "--expires", "rules=40d");
    const { good, bad, site, directory, payload, from, keys } = bench;
    await good("export", site, join(directory, "out.tar"), "--for", "30d");
    const archive = join(directory, "archive");
    mkdirSync(archive);
    execFileSync("tar", ["-xf", join(directory, "out.tar"), "-C", archive]);
    const device = await deviceOf(join(bench.site, "public"));
    const { timestamp } = await device.refresh(archive, new Date());
    assert.equal(timestamp.version, 2);
    lose(bench);
    mkdirSync(site);
    const found = (await bad(3, "renew", site)).stderr;
    assert.match(found, /If it was lost, .* init \S+ --from PUBLIC --keys KEYS$/m);
    const { stderr } = await good("init", site, "--from", from, "--keys", keys);
    assert.match(
      stderr,
      /for the product demo was made again from \S+, which devices can read: root 1, timestamp 1, .* and each payload\./,
    );
    assert.match(stderr, /^Key of rules: \w{16}, \S+\/site\/keys\/rules\.pem$/m);
    await good("renew", site);
    assert.equal((await device.refresh(join(site, "public"), new Date())).timestamp.version, 1_002);
    await good("add", site, payload, ...release, "--notes", "again");
    await good("publish", site);
    await device.refresh(join(site, "public"), new Date());
    const rules = metadataOf(bench, "1002.rules.json");
    assert.equal(Date.parse(rules.expires) - Date.parse(rules.steward_made_at), 40 * 86_400_000);
    assert.equal(statSync(join(site, "keys")).mode & 0o777, 0o700);
    assert.equal(statSync(join(site, "keys", "rules.pem")).mode & 0o777, 0o600);
    assert.equal(statSync(site).mode & 0o777, 0o755);
  });

  it("is the way out that init names where published metadata are, which typed as it stands works", async (test) => {
    const bench = await published(test);
    rmSync(join(bench.site, "repository.json"));
    const { stderr } = await bench.bad(5, "init", bench.site);
    const [, way = ""] = /To make the repository again: (mv .*)$/m.exec(stderr) ?? [];
    const typed = way.replace("steward-publisher", publisherCommand.map((word) => `'${word}'`).join(" "));
    execFileSync("sh", ["-c", typed], { stdio: "pipe" });
    await bench.good("renew", bench.site);
  });

  it("asks for the passphrase of a key, and copies it as it is", async (test) => {
    const bench = await published(test);
    lose(bench);
    const key = join(bench.keys, "rules.pem");
    const pem = execFileSync("openssl", ["pkey", "-in", key, "-aes256", "-passout", "pass:sesame"]);
    writeFileSync(key, pem, { mode: 0o600 });
    const words = ["init", bench.site, "--from", bench.from, "--keys", bench.keys];
    const typed = (passphrase: string, ...all: string[]) =>
      typeInto([...publisherCommand, ...all], [["Passphrase of ", `${passphrase}\r`]]);
    const found = (await bench.bad(2, ...words)).stderr;
    assert.match(found, /rules\.pem has a passphrase\. Run this in a terminal/);
    assert.equal((await typed("simsim", ...words)).code, 6);
    assert.equal(existsSync(bench.site), false);
    const { code, screen } = await typed("sesame", ...words);
    assert.equal(code, 0, screen);
    assert.match(screen, /Key of rules: \w{16}, \S+\/site\/keys\/rules\.pem/);
    const copied = join(bench.site, "keys", "rules.pem");
    assert.deepEqual(readFileSync(copied), pem);
    const seen = (await bench.good("keys", bench.site)).stderr;
    assert.match(seen, /rules\.pem has a passphrase .* add --key \S+\.$/m);
    const listed = await typed("sesame", "keys", bench.site, "--key", copied);
    assert.match(listed.screen, /^rules .* published +\S+\/rules\.pem/m);
  });

  it("takes a checkout of what was uploaded, without its history, and says that its timestamp has expired", async (test) => {
    const bench = await published(test);
    lose(bench);
    const clone = join(bench.directory, "clone");
    const commit = "git -c user.name=Anna -c user.email=anna@example.org commit --quiet --message all";
    sh(`git init --quiet; git add --all; ${commit}; git clone --quiet . ${clone}`, bench.from);
    const { code, stderr } = runPublisherAt("+1y", [
      "init",
      bench.site,
      "--from",
      clone,
      "--keys",
      bench.keys,
    ]);
    assert.equal(code, 0, stderr);
    assert.match(
      stderr,
      /Its timestamp was good until \S+Z\. If the server or another copy has a later one, /,
    );
    assert.deepEqual(readdirSync(join(bench.site, "public")).sort(), ["metadata", "targets"]);
    await bench.good("renew", bench.site);
  });

  it("goes above what devices know where only an older copy is left, by what it says", async (test) => {
    const bench = await published(test);
    const { site, directory, payload, good, keys, from } = bench;
    const old = join(directory, "old");
    cpSync(join(site, "public"), old, { recursive: true });
    for (const notes of ["one", "two"]) {
      await good("add", site, payload, ...release, "--notes", notes);
      await good("renew", site, "targets");
      await good("publish", site);
    }
    const device = await deviceOf(join(bench.site, "public"));
    await device.refresh(join(site, "public"), new Date());
    lose(bench);
    rmSync(from, { recursive: true });
    const { stderr } = await good("init", site, "--from", old, "--keys", keys);
    const [, way = ""] =
      /devices know a later one: steward-publisher (.*) && steward-publisher publish/.exec(stderr) ?? [];
    await good(...way.split(" "));
    await good("publish", site);
    const { timestamp, snapshot } = await device.refresh(join(site, "public"), new Date());
    assert.deepEqual([timestamp.version, snapshot.meta["rules.json"]?.version], [1_002, 1_002]);
  });
});

describe("steward-publisher init --from, of what devices would refuse", { concurrency: 2 }, () => {
  const faults: [name: string, code: number, spoil: string, message: RegExp][] = [
    ["a missing payload", 3, "rm $F", /is missing, .* Copy \S+ back from the server/],
    [
      "a payload that is cut short",
      3,
      "truncate -s 20 $F",
      /The payload of \S+ is missing, or has another size/,
    ],
    [
      "a payload of other bytes",
      1,
      "shred -n 1 -x $F",
      /has changed since it was signed\. Nothing .*\. Copy it back/,
    ],
    [
      "metadata that were changed",
      1,
      "sed -i s/demo-rules/demo-rulez/ metadata/1.rules.json",
      /made, because devices would refuse \S+public: /,
    ],
    ["a missing first root", 5, "rm metadata/1.root.json", /1\.root\.json is missing/],
    ["a missing snapshot", 5, "rm metadata/1.snapshot.json", /1\.snapshot\.json is missing/],
    ["no timestamp", 3, "rm metadata/timestamp.json", /has no metadata\/timestamp\.json/],
  ];
  for (const [name, code, spoil, message] of faults)
    it(`refuses ${name}, and makes nothing`, async (test) => {
      const bench = await published(test);
      lose(bench);
      sh(`F=$(echo targets/stable/rules/*); ${spoil}`, bench.from);
      const before = readdirSync(bench.directory);
      assert.match((await bench.bad(code, "init", bench.site, "--from", bench.from)).stderr, message);
      assert.deepEqual(readdirSync(bench.directory), before);
    });

  it("refuses keys that are not there, and options for new keys", async (test) => {
    const bench = await published(test);
    lose(bench);
    const { site, from, bad } = bench;
    assert.match((await bad(3, "init", site, "--from", from, "--keys", site)).stderr, /has no private keys/);
    assert.match((await bad(2, "init", site, "--keys", bench.keys)).stderr, /--keys is for --from/);
    await bad(2, "init", site, "--from", from, "--public-key", "rules=x.pub");
    await bad(2, "init", site, "--from", from, "--threshold", "root=2");
  });
});
