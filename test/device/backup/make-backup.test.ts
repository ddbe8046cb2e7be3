import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentProcess } from "../../../lab/agents/running-agent.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { until } from "../../../lab/basics/until.ts";
import type { Manifest } from "../../../src/device/backup/manifest.ts";

const scratch = scratchDirectory();
const keyFile = join(scratch, "key");
execFileSync("age-keygen", ["-o", keyFile], { stdio: "ignore" });
const recipients = [execFileSync("age-keygen", ["-y", keyFile]).toString().trim()];
const hostDirectory = join(scratch, "etc");
mkdirSync(join(hostDirectory, "tls"), { recursive: true });
writeFileSync(join(hostDirectory, "steward.json"), '{"product":"edge"}', { mode: 0o644 });
writeFileSync(join(hostDirectory, "tls/lan.pem"), "no certificate", { mode: 0o640 });
symlinkSync("/etc/hostname", join(hostDirectory, "link.pem"));

/** Opens a backup by Debian's age and tar; the folder with its files. */
function opened(name: string, sealed: Buffer): string {
  const folder = join(scratch, name);
  mkdirSync(folder);
  const plain = execFileSync("age", ["-d", "-i", keyFile], { input: sealed, maxBuffer: 1e8 });
  execFileSync("tar", ["-x"], { cwd: folder, input: plain });
  return folder;
}

interface Fetched {
  readonly status: number;
  readonly type: string | undefined;
  readonly bytes: Buffer;
}

describe("a backup of an agent", () => {
  const agent = ofSuite(() =>
    startAgentProcess({ arguments: ["--host-file", join(hostDirectory, "steward.json")] }),
  );

  /** Over the socket, as local root; `leaveAfter`: the client goes away when it has so many bytes. */
  function make(body: object, leaveAfter = Number.POSITIVE_INFINITY): Promise<Fetched> {
    const text = JSON.stringify(body);
    const headers = { "Content-Type": "application/json", "Content-Length": Buffer.byteLength(text) };
    return new Promise((resolve, reject) => {
      const sent = request({
        ...{ socketPath: agent.socket, method: "POST", path: "/api/system/backup", headers },
      });
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

  const eventsOf = async (type: string) =>
    (await agent.call("GET", `/api/events?type=${type}`, { local: true })).json.items;

  it("is one that the device has never had, as long as none was made", async () => {
    assert.equal((await agent.call("GET", "/api/status", { local: true })).json.last_backup_at, null);
    const { text } = await agent.call("GET", "/api/metrics", { local: true });
    assert.doesNotMatch(text, /^steward_backup/m);
  });

  const faults: readonly (readonly [string, object, RegExp])[] = [
    ["no key", {}, /"validation_failed"/],
    ["an empty passphrase", { passphrase: "" }, /at least 12/],
    ["a short passphrase", { passphrase: "elevenchars" }, /at least 12/],
    ["two kinds of keys", { passphrase: "long enough it is", recipients }, /"validation_failed"/],
    ["no recipient", { recipients: [] }, /"\/recipients"/],
    ["a recipient that is none", { recipients: ["ssh-ed25519 AAAA"] }, /a public key of age/],
    [
      "a recipient with a typing error",
      // One key of 32 ends in x itself, and a spoiled one must differ.
      { recipients: [recipients[0]?.replace(/.$/, (last) => (last === "x" ? "q" : "x"))] },
      /not one of age's/,
    ],
  ];
  for (const [name, body, expected] of faults)
    it(`is refused with ${name}, before a byte of it is sent`, async () => {
      const { status, type, bytes } = await make(body);
      assert.deepEqual([status, type], [400, "application/problem+json"]);
      assert.match(String(bytes), expected);
    });

  const guessable: readonly (readonly [string, string])[] = [
    ["a common password", "passwordpassword"],
    ["three common words", "dragon monkey baseball"],
    ["little more than the name of the program", "steward-password"],
  ];
  for (const [name, passphrase] of guessable)
    it(`is refused with ${name} for a passphrase, which whoever has the file could guess`, async () => {
      const { status, type, bytes } = await make({ passphrase });
      assert.deepEqual([status, type], [422, "application/problem+json"]);
      const { code, detail } = JSON.parse(String(bytes));
      assert.equal(code, "passphrase_guessable");
      assert.match(detail, /^The passphrase .* No backup was made\.$/);
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

  it("opens by age and tar, and has each document, event and file of root as they are", async () => {
    await agent.signedInAdmin();
    const { status, type, bytes } = await make({ recipients });
    assert.deepEqual([status, type], [200, "application/octet-stream"]);
    const folder = opened("whole", bytes);
    const read = (path: string) => readFileSync(join(folder, path), "utf8");
    const manifest: Manifest = JSON.parse(read("backup.json"));
    const { json: version } = await agent.call("GET", "/api/version", { local: true });
    assert.deepEqual(
      [manifest.format, manifest.version, manifest.steward, manifest.product, manifest.device.id],
      ["steward-backup", 1, version.version, "edge", version.device_id],
    );
    const inState = (path: string) => readFileSync(join(agent.stateDirectory, path), "utf8");
    for (const name of [".identity.json", ".register.json"])
      assert.equal(read(`state/${name}`), inState(name), name);
    assert.match(read("state/sessions.json"), /"sessions": \[\n/);
    const key = readFileSync(join(agent.stateDirectory, ".seal.key"));
    assert.equal(read("state/seal.keys"), `${key.toString("base64")}\n`);
    assert.equal(readFileSync(join(folder, "state/history.bin")).length, 48_448);
    const [segment = ""] = readdirSync(join(folder, "state/events"));
    assert.match(read(`state/events/${segment}`), /"user\.created"/);
    assert.ok(inState(`events/${segment}`).startsWith(read(`state/events/${segment}`)));
    const ofRoot = manifest.files.filter(({ path }) => path.startsWith("etc/"));
    assert.deepEqual(
      ofRoot.map(({ path, mode }) => [path, mode]),
      [
        ["etc/steward.json", 0o644],
        ["etc/tls/lan.pem", 0o640],
      ],
    );
    assert.deepEqual(manifest.left_out, [join(hostDirectory, "link.pem")]);
    const all = execFileSync("find", [".", "-type", "f", "-printf", "%P\n"], { cwd: folder }).toString();
    const listed = ["backup.json", ...manifest.files.map(({ path }) => path)];
    assert.deepEqual(all.trim().split("\n").sort(), listed.sort());
    const { status: confirmed } = await agent.call("POST", "/api/system/backup/arrived", { local: true });
    assert.equal(confirmed, 204);
    const { last_backup_at } = (await agent.call("GET", "/api/status", { local: true })).json;
    assert.ok(last_backup_at >= manifest.made_at, last_backup_at);
    const { text } = await agent.call("GET", "/api/metrics", { local: true });
    assert.match(
      text,
      new RegExp(`^steward_backup_last_timestamp_seconds ${Date.parse(last_backup_at) / 1_000}$`, "m"),
    );
    const [event] = await eventsOf("backup.made");
    assert.deepEqual(
      [event.actor.kind, event.details],
      ["local-root", { recipients: 1, bytes: bytes.length }],
    );
    // Changes that were only in memory are on the disk by then.
    await agent.stop();
    for (const name of ["users", "settings", "tokens", "used-codes"])
      assert.equal(read(`state/${name}.json`), inState(`${name}.json`), name);
  });
});
