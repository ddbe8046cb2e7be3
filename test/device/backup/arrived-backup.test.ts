/** The time of the last backup, by the ways in which programs take one and fail. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";

const scratch = scratchDirectory();
const keyFile = join(scratch, "key");
execFileSync("age-keygen", ["-o", keyFile], { stdio: "ignore" });
const recipient = execFileSync("age-keygen", ["-y", keyFile]).toString().trim();
const hostDirectory = join(scratch, "etc");
mkdirSync(hostDirectory);
writeFileSync(join(hostDirectory, "steward.json"), "{}", { mode: 0o644 });
// The backup is then larger than a pipe, so that a reader who takes a part leaves a rest; and smaller than the buffers of the
// connection, so that the agent can send all of it to a client that reads nothing.
writeFileSync(join(hostDirectory, "some.pem"), randomBytes(60_000), { mode: 0o644 });

const steward = join(import.meta.dirname, "../../../dist/main.js");

describe("the time of the last backup", () => {
  const agent = ofSuite(() =>
    startAgentProcess({ arguments: ["--host-file", join(hostDirectory, "steward.json")] }),
  );
  let curl = "";
  let command = "";
  before(async () => {
    const { token } = await agent.signedInAdmin();
    const header = join(scratch, "header");
    writeFileSync(header, `Authorization: Bearer ${token}\n`);
    const body = JSON.stringify({ recipients: [recipient] });
    curl = `curl -sS --fail -N -H @${header} -H Content-Type:application/json --data '${body}' http://127.0.0.1:${agent.port}/api/system/backup`;
    command = `'${process.execPath}' '${steward}' --socket '${agent.socket}' backup --recipient ${recipient}`;
  });
  const lastBackup = async (): Promise<string | null> =>
    (await agent.call("GET", "/api/status", { local: true })).json.last_backup_at;
  /**
   * Settles when nothing of the last one is under way: the agent makes one at a time. This one comes over root's socket, and
   * nobody says that it has arrived.
   */
  const isOver = () =>
    until("it is over", async () => {
      const sent = { local: true, body: { recipients: [recipient] } };
      return (await agent.call("POST", "/api/system/backup", sent)).status === 200;
    });

  const failures: readonly (readonly [string, () => string])[] = [
    ["curl into a pipe whose reader ends", () => `${curl} | head -c 1000 > /dev/null`],
    [
      "curl that is ended in the middle",
      () => `timeout 1 ${curl.replace("curl", "curl --limit-rate 30k -o /dev/null")}`,
    ],
    ["curl onto a full disk", () => `${curl} -o /dev/full`],
    ["the command into a pipe whose reader fails", () => `${command} - | (sleep 1; exit 255)`],
    ["the command into a pipe whose reader ends", () => `${command} - | head -c 1000 > /dev/null`],
    ["the command onto a full disk", () => `${command} - > /dev/full`],
    ["the command that is killed while its reader waits", () => `timeout -s KILL 2 ${command} - | sleep 3`],
  ];
  for (const [name, line] of failures)
    it(`does not move for ${name}`, async () => {
      const former = await lastBackup();
      const { status, stderr } = spawnSync("bash", ["-c", `set -o pipefail; ${line()}`], {
        encoding: "utf8",
      });
      assert.notEqual(status, 0, stderr);
      await isOver();
      assert.equal(await lastBackup(), former);
    });

  const successes: readonly (readonly [string, () => string])[] = [
    ["curl into a file", () => `${curl} -o FILE`],
    ["curl into a pipe", () => `${curl} | cat > FILE`],
    ["curl over HTTP/1.0", () => `${curl} --http1.0 -o FILE`],
    ["the command into a file", () => `${command} --force FILE`],
    ["the command into a pipe", () => `${command} - | (sleep 1; cat) > FILE`],
  ];
  for (const [name, line] of successes)
    it(`moves once ${name} has it, which opens`, async () => {
      const former = await lastBackup();
      const file = join(scratch, "taken.age");
      const { status, stderr } = spawnSync(
        "bash",
        ["-c", `set -o pipefail; ${line().replace("FILE", file)}`],
        { encoding: "utf8" },
      );
      assert.equal(status, 0, stderr);
      execFileSync("age", ["-d", "-i", keyFile, "-o", "/dev/null", file]);
      assert.ok(readFileSync(file).length > 100_000);
      await until("it has moved", async () => (await lastBackup()) !== former);
    });
});
