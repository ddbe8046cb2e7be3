import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import type { Manifest } from "../../../src/device/backup/manifest.ts";

const scratch = scratchDirectory();
const keyFile = join(scratch, "key");
execFileSync("age-keygen", ["-o", keyFile], { stdio: "ignore" });
const recipient = execFileSync("age-keygen", ["-y", keyFile]).toString().trim();
const recipients = [recipient];
const hostDirectory = join(scratch, "etc");
mkdirSync(join(hostDirectory, "tls"), { recursive: true });
writeFileSync(join(hostDirectory, "steward.json"), '{"product":"edge"}', { mode: 0o644 });
// The backup is then larger than a pipe, so that a reader who takes a part leaves a rest; and smaller than the buffers of the
// connection, so that the agent can send all of it to a client that reads nothing.
writeFileSync(join(hostDirectory, "tls/lan.pem"), randomBytes(60_000), { mode: 0o640 });
symlinkSync("/etc/hostname", join(hostDirectory, "link.pem"));
const steward = join(import.meta.dirname, "../../../dist/main.js");

describe("a backup of an agent", () => {
  const agent = ofSuite(() =>
    startAgentProcess({ arguments: ["--host-file", join(hostDirectory, "steward.json")] }),
  );
  let curl = "";
  let command = "";
  before(async () => {
    const { token } = await agent.signedInAdmin();
    const header = join(scratch, "header");
    writeFileSync(header, `Authorization: Bearer ${token}\n`);
    curl = `curl -sS --fail -N -H @${header} -H Content-Type:application/json --data '${JSON.stringify({ recipients })}' http://127.0.0.1:${agent.port}/api/system/backup`;
    command = `'${process.execPath}' '${steward}' --socket '${agent.socket}' backup --recipient ${recipient}`;
  });

  /** Over the socket, as local root; `leaveAfter`: the client goes away when it has so many bytes. */
  function make(body: object, leaveAfter = Number.POSITIVE_INFINITY) {
    const text = JSON.stringify(body);
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
    const where = { socketPath: agent.socket, method: "POST", path: "/api/system/backup" };
    return new Promise<{ status: number; type: string | undefined; bytes: Buffer }>((resolve, reject) => {
      const sent = request({ ...where, headers });
      sent.on("error", reject).end(text);
      sent.on("response", (response) => {
        const pieces: Buffer[] = [];
        const { statusCode: status = 0 } = response;
        const end = () =>
          resolve({ status, type: response.headers["content-type"], bytes: Buffer.concat(pieces) });
        response.on("data", (piece: Buffer) => {
          pieces.push(piece);
          if (Buffer.concat(pieces).length < leaveAfter) return;
          sent.destroy();
          end();
        });
        response.on("error", reject).on("end", end);
      });
    });
  }

  const ask = (path: string) => agent.call("GET", path, { local: true });
  const eventsOf = async (type: string) => (await ask(`/api/events?type=${type}`)).json.items;
  const lastBackup = async (): Promise<string | null> => (await ask("/api/status")).json.last_backup_at;

  it("is one that the device has never had, as long as none was made", async () => {
    assert.equal(await lastBackup(), null);
    assert.doesNotMatch((await ask("/api/metrics")).text, /^steward_backup/m);
  });

  const damaged = recipient.replace(/.$/, (last) => (last === "x" ? "q" : "x"));
  for (const [name, body, expected] of [
    ["no key", {}, /"validation_failed"/],
    ["an empty passphrase", { passphrase: "" }, /at least 12/],
    ["a short passphrase", { passphrase: "elevenchars" }, /at least 12/],
    ["two kinds of keys", { passphrase: "long enough it is", recipients }, /"validation_failed"/],
    ["no recipient", { recipients: [] }, /"\/recipients"/],
    ["a recipient that is none", { recipients: ["ssh-ed25519 AAAA"] }, /a public key of age/],
    ["a recipient with a typing error", { recipients: [damaged] }, /not one of age's/],
    ["a common password", { passphrase: "passwordpassword" }, null],
    ["three common words", { passphrase: "dragon monkey baseball" }, null],
    ["little more than the name of the program", { passphrase: "steward-password" }, null],
  ] as const)
    it(`is refused with ${name}, before a byte of it is sent`, async () => {
      const { status, type, bytes } = await make(body);
      assert.deepEqual([status, type], [expected ? 400 : 422, "application/problem+json"]);
      // A passphrase that a holder of the file could guess.
      const guessable = /"The passphrase .* No backup was made\.","code":"passphrase_guessable"/;
      assert.match(String(bytes), expected ?? guessable);
    });

  it("is made one at a time, and another one after a client has gone away in its midst", async () => {
    const before = (await eventsOf("backup.made")).length;
    const both = await Promise.all([make({ recipients }), make({ recipients })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 429]);
    await make({ recipients }, 100);
    await until("another one is made", async () => (await make({ recipients })).status === 200);
    // The one that was not taken whole is no event, or it was small enough to be on its way already.
    assert.ok((await eventsOf("backup.made")).length - before <= 3);
  });

  const run = (line: string) => spawnSync("bash", ["-c", `set -o pipefail; ${line}`], { encoding: "utf8" });

  for (const [name, line] of [
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
  ] as const)
    it(`has not arrived with ${name}: the time of the last one stays`, async () => {
      const former = await lastBackup();
      const { status, stderr } = run(line());
      assert.notEqual(status, 0, stderr);
      // This one, which comes once nothing of the last is under way, is never said to have arrived.
      await until("it is over", async () => (await make({ recipients })).status === 200);
      assert.equal(await lastBackup(), former);
    });

  for (const [name, line] of [
    ["curl into a file", () => `${curl} -o FILE`],
    ["curl into a pipe", () => `${curl} | cat > FILE`],
    ["curl over HTTP/1.0", () => `${curl} --http1.0 -o FILE`],
    ["the command into a file", () => `${command} --force FILE`],
    ["the command into a pipe", () => `${command} - | (sleep 1; cat) > FILE`],
  ] as const)
    it(`has arrived once ${name} has it, which opens: the time of the last one moves`, async () => {
      const former = await lastBackup();
      const file = join(scratch, "taken.age");
      const { status, stderr } = run(line().replace("FILE", file));
      assert.equal(status, 0, stderr);
      execFileSync("age", ["-d", "-i", keyFile, "-o", "/dev/null", file]);
      assert.ok(readFileSync(file).length > 100_000);
      await until("it has moved", async () => (await lastBackup()) !== former);
    });

  it("opens by age and tar, and has each document, event and file of root as they are", async () => {
    const { status, type, bytes } = await make({ recipients });
    assert.deepEqual([status, type], [200, "application/octet-stream"]);
    const folder = join(scratch, "whole");
    mkdirSync(folder);
    const plain = execFileSync("age", ["-d", "-i", keyFile], { input: bytes, maxBuffer: 1e8 });
    execFileSync("tar", ["-x"], { cwd: folder, input: plain });
    const read = (path: string) => readFileSync(join(folder, path), "utf8");
    const inState = (path: string) => readFileSync(join(agent.stateDirectory, path), "utf8");
    const manifest: Manifest = JSON.parse(read("backup.json"));
    const { json: version } = await ask("/api/version");
    assert.deepEqual(
      [manifest.format, manifest.version, manifest.steward, manifest.product, manifest.device.id],
      ["steward-backup", 1, version.version, "edge", version.device_id],
    );
    for (const name of [".identity.json", ".register.json"])
      assert.equal(read(`state/${name}`), inState(name), name);
    assert.match(read("state/sessions.json"), /"sessions": \[\n/);
    const key = readFileSync(join(agent.stateDirectory, ".seal.key"));
    assert.equal(read("state/seal.keys"), `${key.toString("base64")}\n`);
    assert.equal(readFileSync(join(folder, "state/history.bin")).length, 48_448);
    const [segment = ""] = readdirSync(join(folder, "state/events"));
    assert.match(read(`state/events/${segment}`), /"user\.created"/);
    assert.ok(inState(`events/${segment}`).startsWith(read(`state/events/${segment}`)));
    const ofRoot = manifest.files.flatMap(({ path, mode }) =>
      path.startsWith("etc/") ? [[path, mode]] : [],
    );
    assert.deepEqual(Object.fromEntries(ofRoot), { "etc/steward.json": 0o644, "etc/tls/lan.pem": 0o640 });
    assert.deepEqual(manifest.left_out, [join(hostDirectory, "link.pem")]);
    const all = execFileSync("find", [".", "-type", "f", "-printf", "%P\n"], { cwd: folder }).toString();
    const listed = ["backup.json", ...manifest.files.map(({ path }) => path)];
    assert.deepEqual(all.trim().split("\n").sort(), listed.sort());
    const confirmed = await agent.call("POST", "/api/system/backup/arrived", { local: true });
    assert.equal(confirmed.status, 204);
    const last = (await lastBackup()) ?? "";
    assert.ok(last >= manifest.made_at, last);
    const metric = `^steward_backup_last_timestamp_seconds ${Date.parse(last) / 1_000}$`;
    assert.match((await ask("/api/metrics")).text, new RegExp(metric, "m"));
    const [{ actor, details }] = await eventsOf("backup.made");
    assert.deepEqual([actor.kind, details], ["local-root", { recipients: 1, bytes: bytes.length }]);
    // Changes that were only in memory are on the disk by then.
    await agent.stop();
    for (const name of ["users", "settings", "tokens", "used-codes"])
      assert.equal(read(`state/${name}.json`), inState(`${name}.json`), name);
  });
});
