import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { promisify } from "node:util";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { heldPort } from "../../../lab/basics/held-ports.ts";
import { temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { announce, withdraw } from "../../../src/cli/tls/announcement.ts";
import { changeHttps } from "../../../src/cli/tls/host-file-https.ts";
import { welcomeOf } from "../../../src/cli/tls/tls.ts";
import type { Tls } from "../../../src/contract/types.ts";
import type { RunCommand } from "../../../src/host/ports.ts";
import { openExaminedHost } from "../../../src/programs/command-line/examined-host.ts";

const run = promisify(execFile);

function certificateAt(stateDirectory: string): X509Certificate {
  return new X509Certificate(readFileSync(join(stateDirectory, "tls/certificate.pem")));
}

/** A host file of the test's own, and an agent that goes by it. */
async function device(test: TestContext) {
  const etc = join(temporaryDirectory(test), "etc");
  mkdirSync(etc, { mode: 0o755 });
  const hostFile = join(etc, "steward.json");
  writeFileSync(hostFile, JSON.stringify({ product: "pump-7", names: ["edge-7.example.net"] }));
  chmodSync(hostFile, 0o640);
  const agent = await startAgentInProcess({ arguments: ["--host-file", hostFile] });
  test.after(() => agent.dispose());
  const environment = {
    STEWARD_HOST_FILE: hostFile,
    STEWARD_SOCKET: agent.socket,
    STEWARD_STATE: agent.stateDirectory,
  };
  return { agent, hostFile, tls: (...words: string[]) => runSteward(["tls", ...words], { environment }) };
}

/** As an agent shows the certificate that it has made. */
const made = {
  ...{ source: "self_made", installed: null, subject: "CN=edge-7", issuer: "CN=edge-7" },
  names: ["edge-7.local"],
  ...{ not_before: "2026-11-20T08:00:00.000Z", not_after: "2027-12-20T08:00:00.000Z" },
  ...{ pem: "", fingerprint: "AB:CD", public_key_pin: "sha256//pin" },
} as const satisfies Partial<NonNullable<Tls["certificate"]>>;

describe("steward tls", () => {
  it("switches HTTPS on with one command and off with another, and leaves the rest of the host file", async (test) => {
    const { agent, hostFile, tls } = await device(test);
    assert.deepEqual((await tls("show")).stdout.match(/off/g), ["off"]);
    const before = await tls("fingerprint");
    assert.deepEqual([before.code, before.stdout], [3, ""]);
    assert.match(before.stderr, /steward tls enable/);

    const port = await heldPort();
    const enabled = await tls("enable", "--port", String(port));
    assert.equal(enabled.code, 0, enabled.stderr);
    const { fingerprint256 } = certificateAt(agent.stateDirectory);
    assert.ok(enabled.stderr.includes(`  https://edge-7.example.net:${port}\n`), enabled.stderr);
    assert.ok(enabled.stderr.includes(fingerprint256));
    assert.equal((await tls("fingerprint")).stdout, `${fingerprint256}\n`);
    assert.deepEqual(JSON.parse(readFileSync(hostFile, "utf8")), {
      product: "pump-7",
      names: ["edge-7.example.net"],
      https: { enabled: true, port },
    });
    assert.equal(statSync(hostFile).mode & 0o777, 0o640);

    const shown = await tls("show");
    assert.match(shown.stdout, /made by the device/);
    assert.match(shown.stdout, /edge-7\.example\.net/);
    const document = JSON.parse((await tls("show", "-o", "json")).stdout);
    const url = `https://127.0.0.1:${port}/api/version`;
    const pin = ["--silent", "--insecure", "--pinnedpubkey", document.certificate.public_key_pin];
    const { stdout } = await run("curl", [...pin, url]);
    assert.match(stdout, /"name":"steward"/);

    assert.match((await tls("disable")).stderr, /is off/);
    await assert.rejects(run("curl", [...pin, url]));
    assert.deepEqual(JSON.parse(readFileSync(hostFile, "utf8")).https, { enabled: false, port });
  });

  it("says the fingerprint without an agent too, and that HTTPS begins with it", async (test) => {
    const { agent, tls } = await device(test);
    const port = String(await heldPort());
    await tls("enable", "--port", port);
    const { stdout } = await tls("fingerprint");
    await agent.stop();
    assert.equal((await tls("fingerprint")).stdout, stdout);
    assert.match((await tls("show")).stdout, /on, but not listening/);
    const again = await tls("enable", "--port", port);
    assert.equal(again.code, 0);
    assert.match(again.stderr, /systemctl start steward/);
  });

  it("enabled before the device has an address says so, and no fingerprint that will be another one's", () => {
    const told = (addresses: string[], urls: string[]) =>
      welcomeOf({ urls, certificate: { ...made, addresses: [...addresses, "127.0.0.1", "::1"] } });
    const named = "https://edge-7.local:8443";
    const without = told([], [named]);
    assert.match(without, /has no address on the LAN yet.*`steward tls show`/);
    assert.ok(!without.includes(made.fingerprint));
    for (const [address, ...urls] of [
      ["192.0.2.7", "https://192.0.2.7:8443"],
      ["2001:db8::7", "https://[2001:db8::7]:8443"],
    ] as const)
      assert.ok(told([address], [named, ...urls]).includes(made.fingerprint), address);
  });

  it("fails where the port is taken, and says by what it can be mended", async (test) => {
    const { agent, tls } = await device(test);
    const { code, stderr } = await tls("enable", "--port", String(agent.port));
    assert.equal(code, 1);
    assert.match(stderr, /does not work yet: .*Another program listens there/);
  });

  it("reload fails with what cannot be used", async (test) => {
    const { hostFile, tls } = await device(test);
    assert.equal((await tls("reload")).code, 0);
    await tls("enable", "--port", String(await heldPort()));
    mkdirSync(join(hostFile, "../tls"), { mode: 0o755 });
    for (const [path, text, code, said] of [
      ["../tls/site.crt", "nothing", 1, /site: .*site\.key does not exist/],
      [".", "{", 6, /is not JSON/],
    ] as const) {
      writeFileSync(path === "." ? hostFile : join(hostFile, path), text);
      const ended = await tls("reload");
      assert.deepEqual([ended.code, said.test(ended.stderr)], [code, true], ended.stderr);
    }
  });
});

describe("the host file that `steward tls enable` writes", () => {
  const isRoot = process.getuid?.() === 0;
  const host = openExaminedHost(() => process.getuid?.());
  const change = (path: string, https: Parameters<typeof changeHttps>[1]) => changeHttps(path, https, host);

  it("keeps its owner, its group, and the link to it", { skip: !isRoot && "needs root" }, async (test) => {
    const directory = temporaryDirectory(test);
    const [file, path] = [join(directory, "data.json"), join(directory, "steward.json")];
    writeFileSync(file, "{}");
    chmodSync(file, 0o640);
    // The agent may read it only by its group.
    chownSync(file, 0, 65_534);
    symlinkSync("data.json", path);
    await change(path, { enabled: true });
    assert.deepEqual(JSON.parse(readFileSync(file, "utf8")), { https: { enabled: true } });
    const { uid, gid, mode } = statSync(file);
    assert.deepEqual([uid, gid, mode & 0o777], [0, 65_534, 0o640]);
    assert.ok(lstatSync(path).isSymbolicLink());
  });

  it("is readable for the agent where there was none", async (test) => {
    const path = join(temporaryDirectory(test), "steward/steward.json");
    const umask = process.umask(0o077);
    test.after(() => process.umask(umask));
    await change(path, { enabled: true });
    const modes = [dirname(path), path].map((one) => statSync(one).mode & 0o777);
    assert.deepEqual(modes, [0o755, 0o644]);
  });

  it("keeps what is not named, and loses what is taken away", async (test) => {
    const path = join(temporaryDirectory(test), "steward.json");
    writeFileSync(path, '{"https": {"enabled": false, "port": 9443, "redirect_port": 8080}}');
    await change(path, { enabled: true, port: undefined, redirect_port: null });
    assert.deepEqual(JSON.parse(readFileSync(path, "utf8")), { https: { enabled: true, port: 9443 } });
  });

  it("stays as root has it where the agent has asked, and else gets one member", async (test) => {
    const directory = temporaryDirectory(test);
    const [path, target] = [join(directory, "steward.json"), join(directory, "image.json")];
    const asked = () => changeHttps(path, { enabled: true }, host, true);
    for (const decided of [true, false]) {
      writeFileSync(path, JSON.stringify({ https: { enabled: decided } }));
      await assert.rejects(asked(), { exitCode: 5, message: /has https\.enabled, so only root changes it/ });
    }
    writeFileSync(path, "{}");
    chmodSync(path, 0o444);
    await assert.rejects(asked(), {
      exitCode: 5,
      message: /is a link or read-only, as an image or a tool keeps it/,
    });
    renameSync(path, target);
    chmodSync(target, 0o644);
    symlinkSync("image.json", path);
    await assert.rejects(asked(), { exitCode: 5, message: /is a link or read-only/ });
    assert.equal(readFileSync(target, "utf8"), "{}");
    unlinkSync(path);
    writeFileSync(path, '{"names": ["edge-7"], "https": {"port": 9443}}');
    await asked();
    const text = JSON.parse(readFileSync(path, "utf8"));
    assert.deepEqual(text, { names: ["edge-7"], https: { port: 9443, enabled: true } });
  });

  it("stays as it is where it is no JSON, or the agent would not start with the change", async (test) => {
    const path = join(temporaryDirectory(test), "steward.json");
    const same = { port: 8443, redirect_port: 8443 };
    const rows = {
      "{ names": /not JSON at line 1, column 3: .* Nothing was changed/,
      "{}": /Nothing was changed/,
    };
    for (const [text, message] of Object.entries(rows)) {
      writeFileSync(path, text);
      await assert.rejects(change(path, same), { message });
      assert.equal(readFileSync(path, "utf8"), text);
    }
    const environment = { STEWARD_HOST_FILE: path };
    assert.equal((await runSteward(["tls", "enable", "--port", "70000"], { environment })).code, 2);
  });
});

describe("the announcement on the LAN", () => {
  const ran: string[] = [];
  const host: { run: RunCommand } = {
    run: async (program, args) => {
      ran.push([program, ...args].join(" "));
      return { status: 0, stdout: "", stderr: "" };
    },
  };

  const avahi = "etc/avahi/services/steward.service";

  /** A system with these directories and files. */
  function systemWith(test: TestContext, directories: readonly string[], files: readonly string[] = []) {
    const root = temporaryDirectory(test);
    for (const path of directories) mkdirSync(join(root, path), { recursive: true });
    for (const path of files) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), "");
    }
    return { root, at: (path: string) => join(root, path), hostFile: `${root}/etc/steward/steward.json` };
  }
  const resolved = "usr/lib/systemd/systemd-resolved";

  it("is made where a daemon is installed, and taken back", async (test) => {
    const umask = process.umask(0o077);
    test.after(() => process.umask(umask));
    const none = systemWith(test, []);
    await announce(none.hostFile, 8443, host, none.root);
    assert.equal(existsSync(none.at("etc/avahi")), false);
    const { root, at, hostFile } = systemWith(test, ["etc/avahi/services"], [resolved]);
    await announce(hostFile, 9443, host, root);
    assert.match(readFileSync(at(avahi), "utf8"), /<type>_https\._tcp<\/type>\n\s*<port>9443<\/port>/);
    const dnssd = "etc/systemd/dnssd/steward.dnssd";
    assert.match(readFileSync(at(dnssd), "utf8"), /^Type=_https\._tcp\nPort=9443$/m);
    const modes = [avahi, dirname(dnssd)].map((path) => statSync(at(path)).mode & 0o777);
    assert.deepEqual([modes, ran], [[0o644, 0o755], ["systemctl try-restart systemd-resolved.service"]]);
    await withdraw(hostFile, host, root);
    const present = [avahi, dnssd].map((path) => existsSync(at(path)));
    assert.deepEqual(present, [false, false]);
  });

  it("that the disk refuses is said, and ends nothing", async (test) => {
    // A file where a directory belongs.
    const { root, hostFile } = systemWith(test, ["etc/avahi"], [resolved, "etc/systemd"]);
    const [why = "", ...others] = await announce(hostFile, 8443, host, root);
    assert.deepEqual(others, []);
    assert.match(why, /dnssd cannot be made \(ENOTDIR\)/);
  });

  it("is not made for a trial", async (test) => {
    const { root, at } = systemWith(test, ["etc/avahi/services"]);
    await announce(at("etc/trial.json"), 8443, host, root);
    assert.equal(existsSync(at(avahi)), false);
  });
});
