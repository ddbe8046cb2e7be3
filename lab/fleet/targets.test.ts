/** promtool, as Debian has it, reads the targets that `steward-publisher watch --file-sd` writes, by the configuration of scripts/monitoring. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { prometheusPrograms, rowsOf, writeUnusedAuthority } from "./programs.ts";

const root = join(import.meta.dirname, "../..");

/** A target before and after relabelling. */
interface Discovered {
  readonly discoveredLabels: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
}

describe("the targets of steward-publisher watch", () => {
  let directory: string;
  let promtool: string;
  const file = (name: string): string => join(directory, name);
  const run = (program: string, ...args: string[]) =>
    spawnSync(program, args, { cwd: directory, encoding: "utf8" });
  const publisher = (...words: string[]): void => {
    const { status, stderr } = run(process.execPath, join(root, "dist-publisher/main.cjs"), ...words);
    assert.equal(status, 0, stderr);
  };
  /** A configuration whose job reads this file of targets. */
  const configured = (targets: string): string => {
    const text = readFileSync(join(root, "scripts/monitoring/prometheus.yml"), "utf8");
    writeFileSync(file("prometheus.yml"), text.replace("[steward-devices.yml]", `[${targets}]`));
    return "prometheus.yml";
  };

  before(() => {
    directory = mkdtempSync(join(tmpdir(), "steward-fleet-targets-"));
    promtool = join(prometheusPrograms(), "promtool");
    cpSync(join(root, "scripts/monitoring/alerts.yml"), file("alerts.yml"));
    writeFileSync(file("steward.token"), "stw_example\n");
    writeUnusedAuthority(file("steward-ca.pem"));
    publisher("init", "site", "--product", "demo");
    const line = (address: string, version: string): string =>
      `${address} - - [23/Nov/2026:07:20:11 +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 9 "-" "-" "steward/${version};v=1, product/demo"\n`;
    const devices = Array.from({ length: 200 }, (_, index) => line(`10.0.0.${index + 1}`, "1.0.0"));
    const others = [line("2001:db8::7", "1.1.0"), line("edge-7.example.net", "1.1.0")];
    writeFileSync(file("access.log"), [...devices, ...others].join(""));
    publisher("watch", "access.log", "site", "--once", "--file-sd", "devices.json");
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  it("are a file that promtool takes; it refuses one with a label that Prometheus does not know", () => {
    const good = run(promtool, "check", "config", "--lint-fatal", configured("devices.json"));
    assert.equal(good.status, 0, good.stderr);
    const text = readFileSync(file("devices.json"), "utf8");
    writeFileSync(file("wrong.json"), text.replace('"product"', '"pro-duct"'));
    assert.notEqual(run(promtool, "check", "config", "--lint-fatal", configured("wrong.json")).status, 0);
  });

  it("are scraped over HTTPS by address, with the product as a label that stays and the version as one that does not", () => {
    // The paths of the job are its own: without them the file must be enough.
    const bare = readFileSync(file(configured("devices.json")), "utf8").replace(
      /^ {4}(scheme|metrics_path): .*\n/gm,
      "",
    );
    writeFileSync(file("prometheus.yml"), bare);
    const words = ["check", "service-discovery", "--timeout=5s", "prometheus.yml", "steward"];
    const { status, stdout, stderr } = run(promtool, ...words);
    assert.equal(status, 0, stderr);
    const found = JSON.parse(stdout) as Discovered[];
    const instances = found.map(({ labels }) => labels.instance);
    assert.equal(instances.length, 201);
    assert.ok(instances.includes("10.0.0.200:8443") && instances.includes("[2001:db8::7]:8443"));
    for (const { labels, discoveredLabels } of found) {
      assert.equal(labels.__scheme__, "https");
      assert.equal(labels.__metrics_path__, "/api/metrics");
      assert.deepEqual(
        Object.keys(labels).filter((name) => !name.startsWith("__")),
        ["instance", "job", "product"],
      );
      assert.match(discoveredLabels.__meta_steward_agent_version ?? "", /^1\.[01]\.0$/);
    }
    rowsOf("targets")("devices of an access log that promtool finds as targets", found.length);
  });
});
