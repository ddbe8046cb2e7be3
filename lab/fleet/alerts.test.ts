/**
 * scripts/monitoring by the programs that will run it, promtool and amtool, as Debian has them: alerts, and the targets that
 * `steward-publisher watch --file-sd` writes.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { alertsTests } from "../../scripts/monitoring/alerts-tests.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { unpacked } from "../host/debian-packages.ts";
import { prometheusPrograms, rowsOf, writeUnusedAuthority } from "./programs.ts";

const root = join(import.meta.dirname, "../..");
const monitoring = join(root, "scripts/monitoring");
const row = rowsOf("alerts");
const alerts = readFileSync(join(monitoring, "alerts.yml"), "utf8");
const names = [...alerts.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name = ""]) => name);

describe("the alerts", () => {
  const directory = scratchDirectory();
  let promtool: string;
  let amtool: string;

  before(() => {
    promtool = join(prometheusPrograms(), "promtool");
    amtool = join(unpacked("alertmanager", "usr/bin/amtool", "prometheus-alertmanager"), "usr/bin/amtool");
    cpSync(monitoring, directory, { recursive: true });
    writeFileSync(join(directory, "alerts.test.yml"), JSON.stringify(alertsTests()));
    writeFileSync(join(directory, "steward.token"), "stw_example\n");
    writeFileSync(join(directory, "steward-devices.yml"), "- targets: [localhost:8443]\n");
    writeUnusedAuthority(join(directory, "steward-ca.pem"));
  });

  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: directory, encoding: "utf8" });
    return { status, stdout, words: `${stdout}${stderr}` };
  };
  const checkConfig = () => run(promtool, "check", "config", "--lint-fatal", "prometheus.yml");
  /** The tests of the alerts with these rules in the place of the right ones. */
  const testWith = (rules: string) => {
    writeFileSync(join(directory, "alerts.yml"), rules);
    const result = run(promtool, "test", "rules", "alerts.test.yml");
    writeFileSync(join(directory, "alerts.yml"), alerts);
    return result;
  };

  it("are rules that promtool takes, in a configuration that it takes", () => {
    const rules = run(promtool, "check", "rules", "--lint-fatal", "alerts.yml");
    assert.equal(rules.status, 0, rules.words);
    assert.match(rules.words, new RegExp(`SUCCESS: ${names.length} rules found`));
    const config = checkConfig();
    assert.equal(config.status, 0, config.words);
  });

  it("fire at their fault, not before its time, and none of them on a device that is well", () => {
    const { status, words } = testWith(alerts);
    assert.equal(status, 0, words);
    row("alerts with a test that sees them quiet and firing", String(names.length));
  });

  it("are tested: the tests of all fail when none can fire", () => {
    const { status, words } = testWith(
      alerts.replaceAll(/^( {8}expr: )(?:>-\n(?: {10}.*\n)+|.*\n)/gm, "$1vector(0) > 1\n"),
    );
    assert.notEqual(status, 0);
    const unnoticed = names.filter((name) => !words.includes(`alertname="${name}"`));
    assert.deepEqual(unnoticed, []);
  });

  it("are tested: the tests of all that wait fail when none waits", () => {
    const { status, words } = testWith(alerts.replaceAll(/^ {8}for: .*\n/gm, ""));
    assert.notEqual(status, 0);
    const waiting = alerts
      .split(/^ {6}- alert: /m)
      .filter((text) => /^ {8}for: /m.test(text))
      .map((text) => text.split("\n", 1)[0] ?? "");
    assert.ok(waiting.length > 10, waiting.join());
    assert.deepEqual(
      waiting.filter((name) => !words.includes(`alertname="${name}"`)),
      [],
    );
  });

  it("reach their people: amtool takes the configuration, and routes by severity", () => {
    const config = run(amtool, "check-config", "alertmanager.yml");
    assert.equal(config.status, 0, config.words);
    const receiver = (...labels: string[]): string =>
      run(amtool, "config", "routes", "test", "--config.file=alertmanager.yml", ...labels).stdout.trim();
    const severities = ["critical", "warning", "info"].map((severity) => receiver(`severity=${severity}`));
    assert.deepEqual(severities, ["on-call", "operations", "operations"]);
    assert.equal(receiver("severity=info", "alertname=StewardWatchdog"), "dead-mans-switch");
    row("receivers of critical, warning, info", "on-call, operations, operations");
  });

  /** The job with its targets from this file, which is read after what the publisher has written. */
  const withTargets = (file: string): string => {
    const text = readFileSync(join(monitoring, "prometheus.yml"), "utf8");
    return text.replace("[steward-devices.yml]", `[${file}]`);
  };

  it("scrape what steward-publisher watch --file-sd writes, by address, with the product as a label that stays", () => {
    const publisher = (...words: string[]) => {
      const { status, words: said } = run(process.execPath, join(root, "dist-publisher/main.cjs"), ...words);
      assert.equal(status, 0, said);
    };
    const line = (address: string, version: string): string =>
      `${address} - - [23/Nov/2026:07:20:11 +0000] "GET /metadata/timestamp.json HTTP/1.1" 200 9 "-" "-" "steward/${version};v=1, product/demo"\n`;
    const devices = Array.from({ length: 200 }, (_, index) => line(`10.0.0.${index + 1}`, "1.0.0"));
    devices.push(line("2001:db8::7", "1.1.0"), line("edge-7.example.net", "1.1.0"));
    publisher("init", "site", "--product", "demo");
    writeFileSync(join(directory, "access.log"), devices.join(""));
    publisher("watch", "access.log", "site", "--once", "--file-sd", "devices.json");
    const file = join(directory, "prometheus.yml");
    writeFileSync(file, withTargets("devices.json"));
    const good = checkConfig();
    assert.equal(good.status, 0, good.words);
    // The paths of the job are its own: without them the file must be enough.
    writeFileSync(file, withTargets("devices.json").replace(/^ {4}(scheme|metrics_path): .*\n/gm, ""));
    const { stdout } = run(
      promtool,
      "check",
      "service-discovery",
      "--timeout=5s",
      "prometheus.yml",
      "steward",
    );
    const found = JSON.parse(stdout) as Record<"discoveredLabels" | "labels", Record<string, string>>[];
    const instances = found.map(({ labels }) => labels.instance);
    assert.equal(instances.length, 201);
    assert.ok(instances.includes("10.0.0.200:8443") && instances.includes("[2001:db8::7]:8443"));
    for (const { labels, discoveredLabels } of found) {
      assert.deepEqual([labels.__scheme__, labels.__metrics_path__], ["https", "/api/metrics"]);
      const kept = Object.keys(labels).filter((name) => !name.startsWith("__"));
      assert.deepEqual(kept, ["instance", "job", "product"]);
      assert.match(discoveredLabels.__meta_steward_agent_version ?? "", /^1\.[01]\.0$/);
    }
    row("devices of an access log that promtool finds as targets", found.length);
  });
});
