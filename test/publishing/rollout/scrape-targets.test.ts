import assert from "node:assert/strict";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { Ajv2020 } from "ajv/dist/2020.js";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { ScrapeTargets, writeTargets } from "../../../src/publishing/rollout/scrape-targets.ts";

/** Prometheus, Configuration, file_sd_config: the form of the files; label names by its data model. */
const schema = {
  type: "array",
  items: {
    type: "object",
    required: ["targets"],
    additionalProperties: false,
    properties: {
      targets: { type: "array", minItems: 1, items: { type: "string", pattern: "^[^/\\s]+:\\d{1,5}$" } },
      labels: {
        type: "object",
        propertyNames: { pattern: "^[a-zA-Z_][a-zA-Z0-9_]*$" },
        additionalProperties: { type: "string" },
      },
    },
  },
};
const isFileSd = new Ajv2020().compile(schema);

const day = 86_400;
const midnight = Date.parse("2026-11-27T00:00:00Z") / 1_000;

type Report = readonly [address: string, agentVersion?: string, seconds?: number | null];

function targetsOf(reports: readonly Report[], most = 100): ScrapeTargets {
  const targets = new ScrapeTargets(8_443, most);
  for (const [address, agentVersion = "1.0.0", seconds = midnight] of reports)
    targets.add({ address, seconds }, { product: "demo", agentVersion, releases: [] });
  return targets;
}

function groupsOf(targets: ScrapeTargets) {
  const groups: unknown = JSON.parse(targets.text());
  assert.ok(isFileSd(groups), JSON.stringify(isFileSd.errors));
  return groups as { targets: string[]; labels: Record<string, string> }[];
}

const hostsOf = (targets: ScrapeTargets) => groupsOf(targets).flatMap((group) => group.targets);

describe("the targets for Prometheus", () => {
  it("are the addresses that have reported, sorted, each once, in groups by the version last reported", () => {
    const reports: Report[] = [
      ["192.0.2.8", "1.1.0"],
      ["192.0.2.9", "1.0.0"],
      ["192.0.2.7", "1.0.0"],
      ["192.0.2.7", "1.1.0"],
    ];
    const labels = { product: "demo", __scheme__: "https", __metrics_path__: "/api/metrics" };
    assert.deepEqual(groupsOf(targetsOf(reports)), [
      { targets: ["192.0.2.9:8443"], labels: { ...labels, __meta_steward_agent_version: "1.0.0" } },
      {
        targets: ["192.0.2.7:8443", "192.0.2.8:8443"],
        labels: { ...labels, __meta_steward_agent_version: "1.1.0" },
      },
    ]);
    const other = [reports[1], reports[2], reports[0], reports[3]] as Report[];
    assert.equal(targetsOf(other).text(), targetsOf(reports).text());
    assert.deepEqual(groupsOf(targetsOf([])), []);
  });

  it("have IPv6 addresses in one form and in brackets, and IPv4 ones of a socket for both as IPv4", () => {
    const reports: Report[] = [["2001:DB8:0::7"], ["2001:db8::7"], ["::ffff:192.0.2.7"], ["192.0.2.7"]];
    assert.deepEqual(hostsOf(targetsOf(reports)), ["192.0.2.7:8443", "[2001:db8::7]:8443"]);
  });

  it("are no names, which a stranger's name server chose, and no address at which Prometheus reaches itself", () => {
    const logged = ["edge-7.example.net", "-", "127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::"];
    const links = ["169.254.169.254", "fe80::1", "fe80::1%eth0", "224.0.0.1", "255.255.255.255", "ff02::1"];
    assert.deepEqual(hostsOf(targetsOf([...logged, ...links].map((address): Report => [address]))), []);
  });

  it("stay for a week without a report, so that a dead device raises an alert first", () => {
    const since = (seconds: number): Report[] => [
      ["192.0.2.7", "1.0.0", midnight],
      ["192.0.2.8", "1.0.0", midnight + seconds],
    ];
    assert.deepEqual(hostsOf(targetsOf(since(7 * day))), ["192.0.2.7:8443", "192.0.2.8:8443"]);
    assert.deepEqual(hostsOf(targetsOf(since(7 * day + 1))), ["192.0.2.8:8443"]);
    assert.deepEqual(hostsOf(targetsOf([["192.0.2.9", "1.0.0", null], ...since(9 * day)])), [
      "192.0.2.8:8443",
      "192.0.2.9:8443",
    ]);
  });

  it("are bounded: a flood of addresses displaces none that was there before", () => {
    const flood = Array.from({ length: 50 }, (_, index): Report => [`198.51.100.${index}`]);
    const hosts = hostsOf(targetsOf([["192.0.2.7"], ...flood, ["192.0.2.7", "1.1.0"]], 10));
    assert.equal(hosts.length, 10);
    assert.ok(hosts.includes("192.0.2.7:8443"));
  });
});

describe("the file of targets", () => {
  it("is readable for Prometheus, and only replaced by another content", async () => {
    const file = join(scratchDirectory(), "devices.json");
    await writeTargets(file, "[]\n");
    const first = statSync(file);
    assert.equal(first.mode & 0o777, 0o644);
    await writeTargets(file, "[]\n");
    assert.equal(statSync(file).ino, first.ino);
    await writeTargets(file, '[{"targets":[]}]\n');
    assert.notEqual(statSync(file).ino, first.ino);
    assert.equal(readFileSync(file, "utf8"), '[{"targets":[]}]\n');
    // Another program's change is replaced too.
    writeFileSync(file, "broken");
    await writeTargets(file, "[]\n");
    assert.equal(readFileSync(file, "utf8"), "[]\n");
  });
});
