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

const product = "demo";

function targetsOf(reports: readonly Report[], most = 100): ScrapeTargets {
  const targets = new ScrapeTargets(8_443, most);
  for (const [address, agentVersion = "1.0.0", seconds = midnight] of reports)
    targets.add({ address, seconds }, { product, agentVersion, releases: [] });
  return targets;
}

function groupsOf(reports: readonly Report[], most?: number) {
  const groups: unknown = JSON.parse(targetsOf(reports, most).text());
  assert.ok(isFileSd(groups), JSON.stringify(isFileSd.errors));
  return groups as { targets: string[]; labels: Record<string, string> }[];
}

const hostsOf = (reports: readonly Report[], most?: number) =>
  groupsOf(reports, most).flatMap(({ targets }) => targets);

describe("the targets for Prometheus", () => {
  it("are the addresses that have reported, sorted, each once, in groups by the version last reported", () => {
    const [eight, nine, seven, later] = [
      ["192.0.2.8", "1.1.0"],
      ["192.0.2.9", "1.0.0"],
      ["192.0.2.7", "1.0.0"],
      ["192.0.2.7", "1.1.0"],
    ] as const;
    const labels = (__meta_steward_agent_version: string) => {
      return { product, __scheme__: "https", __metrics_path__: "/api/metrics", __meta_steward_agent_version };
    };
    assert.deepEqual(groupsOf([eight, nine, seven, later]), [
      { targets: ["192.0.2.9:8443"], labels: labels("1.0.0") },
      { targets: ["192.0.2.7:8443", "192.0.2.8:8443"], labels: labels("1.1.0") },
    ]);
    const [one, other] = [
      [eight, nine, seven, later],
      [nine, seven, eight, later],
    ].map((reports) => targetsOf(reports).text());
    assert.equal(one, other);
    assert.deepEqual(groupsOf([]), []);
  });

  it("have IPv6 addresses in one form and in brackets, and IPv4 ones of a socket for both as IPv4", () => {
    const reports: Report[] = [["2001:DB8:0::7"], ["2001:db8::7"], ["::ffff:192.0.2.7"], ["192.0.2.7"]];
    assert.deepEqual(hostsOf(reports), ["192.0.2.7:8443", "[2001:db8::7]:8443"]);
  });

  it("are no names, which a stranger's name server chose, and no address at which Prometheus reaches itself", () => {
    const logged = ["edge-7.example.net", "-", "127.0.0.1", "::1", "::ffff:127.0.0.1", "0.0.0.0", "::"];
    const links = ["169.254.169.254", "fe80::1", "fe80::1%eth0", "224.0.0.1", "255.255.255.255", "ff02::1"];
    assert.deepEqual(hostsOf([...logged, ...links].map((address) => [address] as const)), []);
  });

  it("stay for a week without a report, so that a dead device raises an alert first", () => {
    for (const [seconds, isThere] of [
      [7 * day, true],
      [7 * day + 1, false],
    ] as const) {
      const fresh = ["192.0.2.8", "1.0.0", midnight + seconds] as const;
      const hosts = hostsOf([["192.0.2.7"], fresh, ["192.0.2.9", "1.0.0", null]]);
      assert.deepEqual(hosts, [
        ...(isThere ? ["192.0.2.7:8443"] : []),
        ...["192.0.2.8:8443", "192.0.2.9:8443"],
      ]);
    }
  });

  it("are bounded: a flood of addresses displaces none that was there before", () => {
    const flood = Array.from({ length: 50 }, (_, index): Report => [`198.51.100.${index}`]);
    const hosts = hostsOf([["192.0.2.7"], ...flood, ["192.0.2.7", "1.1.0"]], 10);
    assert.equal(hosts.length, 10);
    assert.ok(hosts.includes("192.0.2.7:8443"));
  });
});

describe("the file of targets", () => {
  it("is readable for Prometheus, and only replaced by another content", async () => {
    const file = join(scratchDirectory(), "devices.json");
    const inodes: number[] = [];
    for (const text of ["[]\n", "[]\n", '[{"targets":[]}]\n']) {
      await writeTargets(file, text);
      const { mode, ino } = statSync(file);
      assert.deepEqual([mode & 0o777, readFileSync(file, "utf8")], [0o644, text]);
      inodes.push(ino);
    }
    assert.deepEqual([inodes[1] === inodes[0], inodes[2] === inodes[0]], [true, false]);
    // Another program's change is replaced too.
    writeFileSync(file, "broken");
    await writeTargets(file, "[]\n");
    assert.equal(readFileSync(file, "utf8"), "[]\n");
  });
});
