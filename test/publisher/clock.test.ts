import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import {
  type Bench,
  benchIn,
  publishedBench,
  publishRelease,
  release,
  startedBench,
} from "../../lab/publisher/bench.ts";
import { runPublisherAt } from "../../lab/publisher/run-publisher.ts";

/** All that is in the repository, but for its lock. */
function contentsOf({ site }: Bench): Map<string, string> {
  const names = readdirSync(site, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = names.map((one) => join(one.parentPath, one.name)).filter((path) => !/\/\.[^/]*$/.test(path));
  return new Map(paths.sort().map((path) => [path, readFileSync(path, "base64")]));
}

const timestampOf = ({ site }: Bench) =>
  JSON.parse(readFileSync(join(site, "public", "metadata", "timestamp.json"), "utf8")).signed;

describe("steward-publisher on a machine whose clock is behind what is published", () => {
  // None of these changes anything, so they share one.
  const bench = benchIn(scratchDirectory());
  const { site, payload, directory } = bench;
  before(async () => {
    await bench.good("init", site, "--product", "demo");
    await publishRelease(bench);
    await bench.good("renew", site, "binary");
    await bench.good("pause", site, ...release);
  });
  const named = ["--kind", "rules", "--name", "demo-rules"];
  for (const [name, ...words] of [
    ["renew", "renew", site],
    ["renew of a role", "renew", site, "root"],
    ["publish", "publish", site],
    ["add with waves", "add", site, payload, ...named, "--release", "1.1.0", "--waves", "default"],
    ["add --withdraw", "add", site, ...release, "--withdraw", "breaks doors"],
    ["sign", "sign", site, "binary"],
    ["export --for", "export", site, join(directory, "out.tar"), "--for", "30d"],
    ["pause", "pause", site, ...release],
    ["resume", "resume", site, ...release],
    ["prune", "prune", site, "--yes"],
    ["discard", "discard", site, "--yes"],
    ["keys --owner", "keys", site, "--owner", "00000000=Anna"],
  ])
    it(`refuses ${name}, says both times and what to do, and changes nothing`, () => {
      const before = contentsOf(bench);
      const lastYear = new Date(Date.now() - 365 * 86_400_000).getUTCFullYear();
      for (const [time, then] of [
        ["1970-01-01 00:10:00", "1970-01-01T00:1"],
        ["-1y", `${lastYear}-`],
      ] as const) {
        const { code, stderr } = runPublisherAt(time, words);
        assert.equal(code, 5, stderr);
        const message = new RegExp(
          `clock of this machine is behind: it says ${then}\\S+Z, and \\S+ was signed at 20\\d\\d-\\S+Z\\. .* no updates\\. Nothing was changed\\. Set the clock, .*timedatectl set-ntp true`,
        );
        assert.match(stderr, message);
        assert.deepEqual(contentsOf(bench), before);
      }
    });

  it("does not take a clock for behind that differs by minutes, or whose period was made shorter", async (test) => {
    const { site, good } = await publishedBench(test);
    assert.equal(runPublisherAt("-5m", ["renew", site]).code, 0);
    const config = join(site, "repository.json");
    writeFileSync(config, readFileSync(config, "utf8").replace('"timestamp": 604800', '"timestamp": 86400'));
    assert.match((await good("renew", site)).stderr, /timestamp 3 /);
  });

  it("refuses the first publish too, when the clock is behind the drafts", async (test) => {
    const { site } = await startedBench(test);
    const { code, stderr } = runPublisherAt("-1y", ["publish", site]);
    assert.equal(code, 5, stderr);
    assert.match(stderr, /renew \S+ root targets rules binary --clock-is-right$/m);
    assert.deepEqual(readdirSync(join(site, "public", "metadata")), []);
  });
});

describe("steward-publisher on a machine whose clock is ahead", () => {
  const way = (stderr: string) =>
    /the other one was ahead: steward-publisher (.*)$/m.exec(stderr)?.[1]?.split(" ") ?? [];

  it("says it where the published timestamp would have expired, and is set right by --clock-is-right", async (test) => {
    const bench = await publishedBench(test);
    const ahead = runPublisherAt("+30d", ["renew", bench.site]);
    assert.equal(ahead.code, 0, ahead.stderr);
    assert.match(
      ahead.stderr,
      /had expired at \S+Z, and the clock .* the clock is ahead, or \S+ is an older copy/,
    );
    await bench.good(...way((await bench.bad(5, "renew", bench.site)).stderr));
    const { version, expires } = timestampOf(bench);
    const days = (Date.parse(expires) - Date.now()) / 86_400_000;
    assert.ok(version === 3 && days > 6.9 && days <= 7, `${version}, ${days} days`);
    await bench.good("renew", bench.site);
  });

  it("drafts again what was drafted by it", async (test) => {
    const { site, good, bad } = await publishedBench(test);
    assert.equal(runPublisherAt("+10y", ["renew", site, "targets"]).code, 0);
    const words = way((await bad(5, "publish", site)).stderr);
    assert.match(words.join(" "), / targets --clock-is-right$/);
    await good(...words);
    assert.match((await good("publish", site)).stderr, /targets 2 \(until 2\d\d\d-/);
  });

  it("refuses to publish under metadata that have expired by it, and says what it takes the time for", async (test) => {
    const { site } = await publishedBench(test);
    const { code, stderr } = runPublisherAt("+5y", ["renew", site]);
    assert.notEqual(code, 0);
    assert.match(stderr, /If the clock of this machine is right \(\S+Z\), renew the expired metadata/);
  });
});
