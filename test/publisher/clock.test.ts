import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type Bench, makeBench, release } from "../../lab/publisher/bench.ts";
import { runPublisherAt } from "../../lab/publisher/run-publisher.ts";

/** All that is in the repository, but for its lock. */
function contentsOf({ site }: Bench): Map<string, string> {
  const names = readdirSync(site, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = names.map((one) => join(one.parentPath, one.name)).filter((path) => !/\/\.[^/]*$/.test(path));
  return new Map(paths.sort().map((path) => [path, readFileSync(path, "base64")]));
}

const timestampOf = ({ site }: Bench) =>
  JSON.parse(readFileSync(join(site, "public", "metadata", "timestamp.json"), "utf8")).signed;

async function published(test: Parameters<typeof makeBench>[0]): Promise<Bench> {
  const bench = await makeBench(test);
  await bench.good("init", bench.site, "--product", "demo");
  await bench.good("add", bench.site, bench.payload, ...release, "--waves", "default");
  await bench.good("publish", bench.site);
  return bench;
}

const named = ["--kind", "rules", "--name", "demo-rules"];

describe("steward-publisher on a machine whose clock is behind what is published", { concurrency: 2 }, () => {
  const commands: [name: string, words: (bench: Bench) => string[]][] = [
    ["renew", ({ site }) => ["renew", site]],
    ["renew of a role", ({ site }) => ["renew", site, "root"]],
    ["publish", ({ site }) => ["publish", site]],
    [
      "add with waves",
      ({ site, payload }) => ["add", site, payload, ...named, "--release", "1.1.0", "--waves", "default"],
    ],
    ["add --withdraw", ({ site }) => ["add", site, ...release, "--withdraw", "breaks doors"]],
    ["sign", ({ site }) => ["sign", site, "binary"]],
    ["export --for", ({ site, directory }) => ["export", site, join(directory, "out.tar"), "--for", "30d"]],
    ["pause", ({ site }) => ["pause", site, ...release]],
    ["resume", ({ site }) => ["resume", site, ...release]],
    ["prune", ({ site }) => ["prune", site, "--yes"]],
    ["discard", ({ site }) => ["discard", site, "--yes"]],
    ["keys --owner", ({ site }) => ["keys", site, "--owner", "00000000=Anna"]],
  ];
  for (const [name, words] of commands)
    it(`refuses ${name}, says both times and what to do, and changes nothing`, async (test) => {
      const bench = await published(test);
      if (name === "sign") await bench.good("renew", bench.site, "binary");
      if (name === "resume") await bench.good("pause", bench.site, ...release);
      const before = contentsOf(bench);
      for (const time of ["1970-01-01 00:10:00", "-1y"]) {
        const { code, stderr } = runPublisherAt(time, words(bench));
        assert.equal(code, 5, stderr);
        const then = time.startsWith("1970")
          ? "1970-01-01T00:1"
          : `${new Date(Date.now() - 365 * 86_400_000).getUTCFullYear()}-`;
        const signed = "20\\d\\d-\\S+Z";
        const message = new RegExp(
          `clock of this machine is behind: it says ${then}\\S+Z, and \\S+ was signed at ${signed}\\. .* no updates\\. Nothing was changed\\. Set the clock, .*timedatectl set-ntp true`,
        );
        assert.match(stderr, message);
        assert.deepEqual(contentsOf(bench), before);
      }
    });

  it("does not take a clock for behind that differs by minutes, or whose period was made shorter", async (test) => {
    const bench = await published(test);
    assert.equal(runPublisherAt("-5m", ["renew", bench.site]).code, 0);
    const config = join(bench.site, "repository.json");
    writeFileSync(config, readFileSync(config, "utf8").replace('"timestamp": 604800', '"timestamp": 86400'));
    const { stderr } = await bench.good("renew", bench.site);
    assert.match(stderr, /timestamp 3 /);
  });

  it("refuses the first publish too, when the clock is behind the drafts", async (test) => {
    const bench = await makeBench(test);
    await bench.good("init", bench.site);
    const { code, stderr } = runPublisherAt("-1y", ["publish", bench.site]);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /renew \S+ root targets rules binary --clock-is-right$/m);
    assert.deepEqual(readdirSync(join(bench.site, "public", "metadata")), []);
  });
});

describe("steward-publisher on a machine whose clock is ahead", { concurrency: 2 }, () => {
  it("says it where the published timestamp would have expired, and is set right by --clock-is-right", async (test) => {
    const bench = await published(test);
    const ahead = runPublisherAt("+30d", ["renew", bench.site]);
    assert.equal(ahead.code, 0, ahead.stderr);
    assert.match(
      ahead.stderr,
      /had expired at \S+Z, and the clock .* the clock is ahead, or \S+ is an older copy/,
    );
    const { stderr } = await bench.bad(5, "renew", bench.site);
    const [, way = ""] = /the other one was ahead: steward-publisher (.*)$/m.exec(stderr) ?? [];
    await bench.good(...way.split(" "));
    assert.equal(timestampOf(bench).version, 3);
    const days = (Date.parse(timestampOf(bench).expires) - Date.now()) / 86_400_000;
    assert.ok(days > 6.9 && days <= 7, `${days} days`);
    await bench.good("renew", bench.site);
  });

  it("drafts again what was drafted by it", async (test) => {
    const bench = await published(test);
    assert.equal(runPublisherAt("+10y", ["renew", bench.site, "targets"]).code, 0);
    const { stderr } = await bench.bad(5, "publish", bench.site);
    const [, way = ""] = /the other one was ahead: steward-publisher (.*)$/m.exec(stderr) ?? [];
    assert.match(way, / targets --clock-is-right$/);
    await bench.good(...way.split(" "));
    assert.match((await bench.good("publish", bench.site)).stderr, /targets 2 \(until 2\d\d\d-/);
  });

  it("refuses to publish under metadata that have expired by it, and says what it takes the time for", async (test) => {
    const bench = await published(test);
    const { code, stderr } = runPublisherAt("+5y", ["renew", bench.site]);
    assert.notEqual(code, 0);
    assert.match(stderr, /If the clock of this machine is right \(\S+Z\), renew the expired metadata/);
  });
});
