import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import type { BackupFileOptions } from "../../lab/agents/backup-file.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { atEnd, type Ending } from "../../lab/basics/ending.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { until } from "../../lab/basics/until.ts";
import { asRoot, writeHostFile } from "../../lab/host/host-file-of-root.ts";
import { canonical } from "../../lab/publisher/canonical.ts";
import { SignedRepository } from "../../lab/publisher/signed-repository.ts";
import { sha256 } from "../../lab/publisher/signing-key.ts";
import { backupFileOf, boxA, boxB, forgedBackup, isRestored, restore, start } from "./boxes.ts";

async function hostFile(test: Ending, content: object) {
  const file = writeHostFile(content);
  atEnd(test, () => file.remove());
  return file.path;
}

const certificateOf = (directory: string): string | null => {
  const path = join(directory, "tls/certificate.pem");
  return existsSync(path) ? readFileSync(path, "utf8") : null;
};

/** A machine whose name root's helper changes; it notes what it was asked. */
function renamable(asked: string[]) {
  const identity = { ...boxB };
  return {
    identity,
    names: {
      ...{ timeZone: async () => "UTC", timeZoneFault: () => null, timeZoneTrouble: () => null },
      adoptTimeZone: () => undefined,
      adoptHostName: (name: string) => {
        identity.hostname = name;
      },
    },
    helper: {
      ask: async (order: object) => void asked.push(Object.values(order).join(" ")),
      mayBeAsked: true,
      absence: () => null,
    },
  };
}

describe("files of root's in a backup", asRoot, () => {
  const made = async (test: Ending) => {
    const [port, redirect_port] = [await heldPort(), await heldPort()];
    const https = { enabled: true, address: "127.0.0.1", port, redirect_port };
    const ofA = await hostFile(test, { names: ["pump.example.net"], https });
    const stateDirectory = scratchDirectory();
    const a = await start(test, { stateDirectory, identity: boxA, arguments: ["--host-file", ofA] });
    await a.signedInAdmin();
    await until("it has a certificate", () => certificateOf(stateDirectory) !== null);
    const path = await backupFileOf(a);
    await a.stop();
    const ofB = await hostFile(test, {});
    const asked: string[] = [];
    const b = { stateDirectory: scratchDirectory(), arguments: ["--host-file", ofB], ...renamable(asked) };
    /** With the files of root's, beside the one that is named. */
    const restored = (agent: RunningAgent, STEWARD_HOST_FILE = ofB) =>
      restore(agent, path, {
        options: ["--as-replacement", "--yes", "--with-host-files"],
        environment: { STEWARD_HOST_FILE, STEWARD_STATE: b.stateDirectory },
      });
    return { ofA, ofB, b, certificate: certificateOf(stateDirectory), asked, restored };
  };

  it("come to their places before the state follows, and its browsers see the certificate of before", async (test) => {
    const { ofA, ofB, b, certificate, asked, restored } = await made(test);
    const before = readFileSync(ofB, "utf8");
    const agent = await start(test, b);
    const { code, stderr } = await restored(agent);
    assert.equal(code, 0, stderr);
    await isRestored(agent);
    assert.equal(readFileSync(ofB, "utf8"), readFileSync(ofA, "utf8"));
    assert.equal(readFileSync(`${ofB}.before-restore`, "utf8"), before);
    await agent.stop();
    const again = await start(test, b);
    assert.ok(asked.includes("host-name box-a"), asked.join());
    assert.equal(certificateOf(b.stateDirectory), certificate, "its names are those of before, too");
    const { enabled, listening } = await again.read("/api/system/tls");
    assert.deepEqual([enabled, listening], [true, true]);
  });

  it("are put back where the agent does not look for them, and the state stays", async (test) => {
    const { ofB, b, restored } = await made(test);
    const agent = await start(test, b);
    const elsewhere = await hostFile(test, { names: ["elsewhere.example.net"] });
    chmodSync(elsewhere, 0o600);
    const texts = () => [elsewhere, ofB].map((path) => readFileSync(path, "utf8"));
    const before = texts();
    const { code, stderr } = await restored(agent, elsewhere);
    assert.equal(code, 1, stderr);
    assert.match(stderr, /perhaps it was started with another --host-file/);
    assert.deepEqual(texts(), before);
    const left = [statSync(elsewhere).mode & 0o777, existsSync(`${elsewhere}.before-restore`)];
    assert.deepEqual(left, [0o600, false], "the former mode, and no copy beside it");
    await agent.stop();
    assert.equal((await (await start(test, b)).read("/api/users")).total, 0, "a start drops the backup");
    assert.equal(existsSync(join(b.stateDirectory, ".restore")), false);
  });
});

describe("files of root's in a backup that an attacker has written", asRoot, () => {
  const made = async (test: Ending, options: Partial<BackupFileOptions>) => {
    const stateDirectory = scratchDirectory();
    const a = await start(test, { stateDirectory, identity: boxA });
    await a.signedInAdmin();
    await a.stop();
    const path = await forgedBackup(stateDirectory, options);
    const file = await hostFile(test, { names: ["pump.example.net"] });
    const b = await start(test, { identity: boxB, arguments: ["--host-file", file] });
    const environment = { STEWARD_HOST_FILE: file, STEWARD_STATE: b.stateDirectory };
    const run = (...options: string[]) => restore(b, path, { options, environment });
    return { b, file, etc: dirname(file), before: readFileSync(file, "utf8"), run };
  };
  const activate = ["/etc/steward/run.sh", "now"];
  const hostile = {
    "steward.json": JSON.stringify({
      names: ["pump.example.net"],
      update: { rules: { activate }, proxy: "http://198.51.100.7:3128" },
      "\u001b[2K": 1,
    }),
    "run.sh": "#!/bin/sh\n",
    "backup-recipients": "age1xdwswukzzlf9htl92kxg5p8a7mxg4fz0a3ukfrr7ul9rshe4f3hqk20e0f\n",
    "steward.json.before-restore": "{}",
  };

  it("stay out on a mere yes, and are named (a program that root then runs)", async (test) => {
    const { b, file, etc, before, run } = await made(test, { hostFiles: hostile, hostFileMode: 0o755 });
    const { code, stderr } = await run("--yes");
    assert.equal(code, 0, stderr);
    await isRestored(b);
    assert.deepEqual([readFileSync(file, "utf8"), readdirSync(etc)], [before, ["steward.json"]]);
    assert.match(
      stderr,
      /differ and stay; --with-host-files .*: steward\.json, run\.sh, backup-recipients\./,
    );
  });

  it("are shown by what they change, new ones apart, before root says yes, and after it are never executable", async (test) => {
    const root = new SignedRepository();
    const hostFiles = { ...hostile, "update-root.json": String(root.metadata("1.root")) };
    const { b, file, etc, before, run } = await made(test, { hostFiles, hostFileMode: 0o777 });
    const { code, stdout, stderr } = await run("--with-host-files", "--check");
    assert.equal(code, 0, stderr);
    const shown = stdout.split("\n");
    const hash = createHash("sha256").update(hostile["run.sh"]).digest("hex");
    for (const line of [
      "steward.json, replaced:",
      `  /update/rules/activate: none → ${JSON.stringify(activate)}`,
      '  /update/proxy: none → "http://198.51.100.7:3128"',
      "  /\\x1b[2K: none → 1",
      `run.sh, new, and not executable here: SHA-256 none → ${hash}`,
      `  + opens backups: ${hostile["backup-recipients"].trim()}`,
      `update-root.json, new: the root of trust of updates, none → ${sha256(canonical(root.root))}`,
    ])
      assert.ok(shown.includes(line), `${line}\n is not among\n${stdout}`);
    assert.doesNotMatch(stdout, /\/names|steward\.json\.before-restore/, "what stays is not shown");
    assert.deepEqual([readFileSync(file, "utf8"), readdirSync(etc)], [before, ["steward.json"]]);
    const taken = await run("--yes", "--with-host-files");
    assert.deepEqual([taken.code, /^ {2}\/update\/rules\/activate: none → /m.test(taken.stderr)], [0, true]);
    await isRestored(b);
    for (const name of ["steward.json", "run.sh", "backup-recipients"])
      assert.equal(statSync(join(etc, name)).mode & 0o777, 0o644, name);
    assert.equal(readFileSync(`${file}.before-restore`, "utf8"), before);
  });

  it("are refused in a size that no device backs up", async (test) => {
    const large = Object.fromEntries(["a", "b", "c"].map((name) => [name, "x".repeat(1024 * 1024)]));
    const { etc, run } = await made(test, { hostFiles: large });
    const { code, stderr } = await run("--yes", "--with-host-files");
    assert.deepEqual([code, /more of root's files than a device/.test(stderr)], [6, true], stderr);
    assert.deepEqual(readdirSync(etc), ["steward.json"]);
  });
});

describe("a backup", () => {
  it("is refused on a machine without an id, and what to do is said", async (test) => {
    const a = await start(test, { identity: boxA });
    await a.signedInAdmin();
    const b = await start(test, { identity: { ...boxB, isLasting: false } });
    const { code, stderr } = await restore(b, await backupFileOf(a));
    assert.deepEqual([code, /no machine-id yet.*systemd-machine-id-setup/.test(stderr)], [1, true], stderr);
  });

  it("mends its own device in rescue, whose agent serves again without a restart", async (test) => {
    const stateDirectory = scratchDirectory();
    const before = await start(test, { stateDirectory, identity: boxA });
    await before.signedInAdmin();
    const path = await backupFileOf(before);
    await before.stop();
    for (const name of ["users.json", "users.good.json"]) writeFileSync(join(stateDirectory, name), "{");
    // Its next start is after a wait, in which time has to pass.
    const agent = await startAgentInProcess({ stateDirectory, identity: boxA });
    atEnd(test, () => agent.dispose());
    assert.deepEqual((await agent.call("GET", "/api/health")).json, { status: "rescue" });
    const { code, stderr } = await restore(agent, path);
    assert.equal(code, 0, stderr);
    await isRestored(agent);
    const body = { username: adminName, password: adminPassword };
    assert.equal((await agent.call("POST", "/api/auth/login", { local: true, body })).status, 200);
  });

  it("whose only administrator cannot sign in is restored, and says who lets them in", async (test) => {
    const a = await start(test, { identity: boxA });
    const body = { username: adminName, role: "admin" };
    const { json } = await a.call("POST", "/api/users", { local: true, body });
    const signedIn = { username: adminName, password: json.initial_password };
    await a.call("POST", "/api/auth/login", { body: signedIn });
    // While they are signed in, they can still choose another password.
    assert.equal((await a.read("/api/health")).status, "ok");
    const path = await backupFileOf(a);
    const b = await start(test, { identity: boxB });
    const { stderr } = await restore(b, path);
    assert.match(stderr, /No administrator of this device can sign in .* Root lets one in on the device\./);
    await isRestored(b);
    const { needs } = await b.read("/api/status");
    assert.ok(needs.some(({ code }: { code: string }) => code === "no_administrator"));
  });
});
