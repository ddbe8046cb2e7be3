import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { packagesOf, putDistribution } from "./built.ts";

/** The tests of the Debian packages, as docs/install.md says that they are run. */
export const scenario: TieredScenario = {
  title: "autopkgtest runs the packages' own tests on a machine that may be changed",
  tiers: { vm: {} },
  slowMinutes: 6,
  timeoutSeconds: 1_200,
  machine: "autopkgtest",
  memory: 768,
  prepare: packagesOf("now"),
  folders: { "/root/dist-packages": putDistribution },
  asks: { "the command": command },
  boots: [{ units: [], run: testing }],
};

function command(): string {
  const text = readFileSync(join(import.meta.dirname, "../../../docs/install.md"), "utf8");
  const [, found] = /`(autopkgtest [^`]+)`/.exec(text) ?? [];
  if (found === undefined) throw new Error("docs/install.md has no command with autopkgtest");
  return found;
}

async function testing(guest: Guest): Promise<void> {
  // There is no archive in the scenario's network, and the image has all that the tests depend on.
  await guest.run("sh", ["-c", "rm -f /etc/apt/sources.list /etc/apt/sources.list.d/*"]);
  const line = String(await guest.ask("the command"));
  const ran = await guest.run("sh", ["-c", `cd /root && ${line}`], { timeoutSeconds: 900 });
  const results = [...ran.stdout.matchAll(/^(\S+)\s+(PASS|FAIL|SKIP|FLAKY)\b.*$/gm)];
  for (const [said, name, result] of results) guest.check(`${name} passes`, result === "PASS", said);
  const names = new Set(results.map(([, name]) => name));
  const control = readFileSync("/root/dist-packages/tests/debian/tests/control", "utf8");
  const wanted = [...control.matchAll(/^Tests: (\S+)$/gm)].map(([, name]) => name);
  const isEach = wanted.length > 0 && wanted.every((name) => names.has(name));
  guest.check("each test of debian/tests was run", isEach, { wanted, ran });
  guest.check(`\`${line}\` ends well`, ran.status === 0, ran.stdout.slice(-2_000));
}
