/** The alerts of scripts/monitoring by the programs that will run them: promtool and amtool, as Debian has them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { prometheusPrograms, rowsOf, unpacked, writeUnusedAuthority } from "./programs.ts";

const root = join(import.meta.dirname, "../..");
const monitoring = join(root, "scripts/monitoring");
const row = rowsOf("alerts");
const alerts = readFileSync(join(monitoring, "alerts.yml"), "utf8");
const names = [...alerts.matchAll(/^ {6}- alert: (\w+)$/gm)].map(([, name = ""]) => name);

describe("the alerts", () => {
  let directory: string;
  let promtool: string;
  let amtool: string;

  before(() => {
    directory = mkdtempSync(join(tmpdir(), "steward-fleet-alerts-"));
    promtool = join(prometheusPrograms(), "promtool");
    amtool = join(unpacked("alertmanager", "usr/bin/amtool", "prometheus-alertmanager"), "usr/bin/amtool");
    cpSync(monitoring, directory, { recursive: true });
    writeFileSync(join(directory, "steward.token"), "stw_example\n");
    writeFileSync(join(directory, "steward-devices.yml"), "- targets: [localhost:8443]\n");
    writeUnusedAuthority(join(directory, "steward-ca.pem"));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  const run = (program: string, ...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(program, args, { cwd: directory, encoding: "utf8" });
    return { status, stdout, words: `${stdout}${stderr}` };
  };
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
    const config = run(promtool, "check", "config", "--lint-fatal", "prometheus.yml");
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
});
