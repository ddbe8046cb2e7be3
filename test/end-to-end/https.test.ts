import assert from "node:assert/strict";
import { execFile, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:https";
import { connect as tcpConnect } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { connect, type TLSSocket } from "node:tls";
import { promisify } from "node:util";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { checkEvent } from "../../lab/agents/answer-rules.ts";
import { adminName, adminPassword, type RunningAgent } from "../../lab/agents/running-agent.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createAuthority } from "../../lab/host/certificates.ts";

const run = promisify(execFile);

describe("HTTPS on the LAN", () => {
  const home = scratchDirectory();
  let agent: RunningAgent;
  let port: number;
  let redirectPort: number;
  const authority = () => join(agent.stateDirectory, "tls/certificate.pem");

  const decide = (https: object): void => {
    const decisions = { names: ["edge-7.example.net"], https };
    writeFileSync(join(home, "etc/steward.json"), JSON.stringify(decisions));
  };
  const on = () => ({ enabled: true, port, redirect_port: redirectPort, address: "127.0.0.1" });
  const reload = () => agent.call("POST", "/api/system/reload", { local: true });
  const curl = async (path: string, ...args: string[]): Promise<string> => {
    const at = ["--resolve", `edge-7.example.net:${port}:127.0.0.1`, "--cacert", authority()];
    const url = `https://edge-7.example.net:${port}${path}`;
    const { stdout } = await run("curl", ["--silent", "--show-error", "--include", ...at, ...args, url]);
    return stdout;
  };

  before(async () => {
    mkdirSync(join(home, "etc/tls"), { recursive: true, mode: 0o755 });
    [port, redirectPort] = [await heldPort(), await heldPort()];
    decide({ enabled: false, port });
    agent = await startAgentInProcess({ arguments: ["--host-file", join(home, "etc/steward.json")] });
    await agent.signedInAdmin();
  });
  after(() => agent?.dispose());

  it("is off until the host file says so: nothing listens, no key is made", async () => {
    const json = await agent.read("/api/system/tls");
    assert.deepEqual([json.enabled, json.listening, json.certificate], [false, false, null]);
    await assert.rejects(curl("/api/version"));
    assert.throws(() => readFileSync(authority()));
  });

  it("is switched on by a reload, with a certificate that curl takes for the names of the device", async () => {
    decide(on());
    const { json } = await reload();
    assert.deepEqual(json.changed, ["https"]);
    assert.equal(json.tls.problem, null);
    assert.match(await curl("/api/version"), /^HTTP\/1\.1 200 /);
    const shown = execFileSync("openssl", ["x509", "-in", authority(), "-noout", "-fingerprint", "-sha256"], {
      encoding: "utf8",
    });
    assert.equal(shown.trim().split("=")[1], json.tls.certificate.fingerprint);
    assert.ok(json.tls.urls.includes(`https://edge-7.example.net:${port}`));
    await curl("/api/version", "--insecure", "--pinnedpubkey", json.tls.certificate.public_key_pin);
  });

  it("answers to its own names alone, with a cookie that no other host and no plain HTTP can set", async () => {
    assert.match(await curl("/api/version", "--header", "Host: evil.example"), /^HTTP\/1\.1 421 /);
    const login = { username: adminName, password: adminPassword, refresh: "cookie" };
    const origin = `Origin: https://edge-7.example.net:${port}`;
    const post = (path: string, body: object, ...headers: string[]) => {
      const all = [origin, "Content-Type: application/json", ...headers].flatMap((one) => ["--header", one]);
      return curl(path, ...all, "--data", JSON.stringify(body));
    };
    const answer = await post("/api/auth/login", login);
    const [, name, token, attributes] = /^set-cookie: ([^=]+)=(str_[\w-]+); (.*)\r$/im.exec(answer) ?? [];
    assert.match(name ?? "", /^__Host-steward-refresh-[0-9a-f]{8}$/, answer);
    const wanted = ["HttpOnly", "Path=/", "SameSite=Strict", "Secure"];
    assert.deepEqual(attributes?.split("; ").toSorted(), wanted, "without a Domain: else browsers refuse it");
    const [, binding] = /"refresh_binding":"([^"]+)"/.exec(answer) ?? [];
    const refresh = (cookie: string) =>
      post("/api/auth/refresh", {}, `Cookie: ${cookie}`, `X-Refresh-Binding: ${binding}`);
    const planted = await refresh(`${name?.replace("__Host-", "")}=${token}`);
    assert.match(planted, /^HTTP\/1\.1 401 .*authentication_required/s, "as plain HTTP could set");
    assert.match(await refresh(`${name}=${token}`), /^HTTP\/1\.1 200 .*set-cookie: __Host-/is);
  });

  it("refuses TLS 1.1, ciphers without forward secrecy and renegotiation", async () => {
    const refused = (options: object): Promise<string> =>
      secure(options).then(
        (socket) => assert.fail(`accepted ${socket.getCipher().name}`),
        (error) => error.code,
      );
    const old = { minVersion: "TLSv1.1", maxVersion: "TLSv1.1", ciphers: "ALL:@SECLEVEL=0" } as const;
    assert.match(await refused(old), /PROTOCOL_VERSION/);
    const ciphers = "AES128-GCM-SHA256:ECDHE-ECDSA-AES128-SHA:ECDHE-ECDSA-AES128-SHA256";
    assert.match(await refused({ ciphers, maxVersion: "TLSv1.2" }), /HANDSHAKE_FAILURE/);
    const socket = await secure({ maxVersion: "TLSv1.2" });
    const again = new Promise((resolve) => socket.once("error", resolve));
    socket.renegotiate({ rejectUnauthorized: false }, () => undefined);
    assert.match(String(await again), /no.renegotiation|handshake.failure/i);
    socket.destroy();
  });

  const secure = (options: object = {}) =>
    new Promise<TLSSocket>((resolve, reject) => {
      const socket = connect({ port, host: "127.0.0.1", rejectUnauthorized: false, ...options });
      socket.once("secureConnect", () => resolve(socket)).once("error", reject);
    });

  it("exchanges its certificate on a reload, while a connection stays", async () => {
    const keepAlive = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false });
    const asked = async (): Promise<string> => {
      const asking = request({ port, host: "127.0.0.1", path: "/api/version", agent: keepAlive }).end();
      const [response] = await once(asking, "response");
      const { fingerprint256 } = response.socket.getPeerCertificate();
      await once(response.resume(), "end");
      return fingerprint256;
    };
    const before = await asked();
    const { cert, key } = createAuthority(scratchDirectory()).certify("site");
    writeFileSync(join(home, "etc/tls/site.crt"), cert);
    writeFileSync(join(home, "etc/tls/site.key"), key, { mode: 0o600 });
    const { json } = await reload();
    assert.equal(json.tls.certificate.installed, "site");
    assert.equal(await asked(), before, "over the connection from before");
    const next = await secure();
    assert.equal(next.getPeerCertificate().fingerprint256, json.tls.certificate.fingerprint);
    next.destroy();
    keepAlive.destroy();
  });

  it("has browsers use HTTPS alone where the host file says so, and an installed certificate is shown", async () => {
    const strict = /^strict-transport-security: max-age=31536000\r$/im;
    assert.doesNotMatch(await curl("/", "--insecure"), strict);
    const { redirect_port, ...alone } = on();
    decide({ ...alone, hsts: true });
    await reload();
    for (const path of ["/", "/api/version", "/api/nothing"])
      assert.match(await curl(path, "--insecure"), strict, path);
    const pair = ["site.crt", "site.key"].map((name) => join(home, "etc/tls", name));
    for (const path of pair) renameSync(path, `${path}.aside`);
    assert.equal((await reload()).json.tls.certificate.source, "self_made");
    assert.doesNotMatch(await curl("/"), strict, "else a browser would not let people past its warning");
    for (const path of pair) renameSync(`${path}.aside`, path);
    decide({ ...on(), hsts: true });
    const refused = (await reload()).json.detail;
    assert.match(refused, /\/https\/hsts must not be true with an https\.redirect_port/);
    decide(on());
    await reload();
  });

  it("keeps the certificate when a bad one takes its place, and says so in health", async () => {
    writeFileSync(join(home, "etc/tls/site.key"), "nothing");
    const { tls } = (await reload()).json;
    assert.equal(tls.certificate.installed, "site");
    assert.match(tls.refused[0].detail, /not valid PEM/);
    const { checks } = await agent.read("/api/health");
    const check = checks.find(({ name }: { name: string }) => name === "https");
    assert.deepEqual([check.code, check.facts], ["https_certificate_refused", { certificate: "site" }]);
    for (const name of ["site.crt", "site.key"]) rmSync(join(home, "etc/tls", name));
    assert.equal((await reload()).json.tls.certificate.source, "self_made");
    for (const type of ["https.certificate_changed", "https.certificate_refused"]) {
      const { items } = await agent.read(`/api/events?type=${type}`);
      assert.ok(items.length > 0, type);
      for (const event of items) checkEvent(event);
    }
  });

  const askedPlainly = async (path: string, ...args: string[]) => {
    const url = `http://127.0.0.1:${redirectPort}${path}`;
    const { stdout } = await run("curl", ["--silent", "--include", "--path-as-is", ...args, url]);
    return stdout;
  };
  const host = (name: string) => ["--header", `Host: ${name}`];
  const refusedThere = /^HTTP\/1\.1 421 (?!.*location:)/is;

  it("is redirected to from plain HTTP, which answers nothing else", async () => {
    const path = "/users?role=admin";
    const answer = await askedPlainly(path, ...host("edge-7.example.net:80"));
    const location = `^Location: https://edge-7\\.example\\.net:${port}/users\\?role=admin\r$`;
    assert.match(answer, new RegExp(`^HTTP/1\\.1 308 .*${location}`, "ims"));
    const reached = await askedPlainly("/users");
    assert.match(reached, new RegExp(`^Location: https://127\\.0\\.0\\.1:${port}/users`, "im"));
    // At no name or address but its own, and that of the socket that was reached.
    for (const other of ["evil.example", "203.0.113.9", "[2001:db8::9]:80", "127.0.0.2"])
      assert.match(await askedPlainly(path, ...host(other)), refusedThere, other);
  });

  const token = ["--header", "Authorization: Bearer stm_secret"];

  it("does not redirect a program's password or token, which it would go on sending in the clear", async () => {
    const password = ["--data", '{"username":"root-admin","password":"x"}'];
    for (const [path, ...args] of [
      ["/api/users", ...token],
      ["/api"],
      ["//api/users", ...token],
      ["/API/users?limit=1", ...token],
      ["/api/auth/login", ...password],
      ["/users", ...password],
      ["/api/auth/login", ...password, "--header", "Expect: 100-continue"],
      ["/%61pi/users", ...token],
    ] as const) {
      const answer = await askedPlainly(path, ...args);
      assert.match(answer, refusedThere, path);
      const { code, status } = JSON.parse(answer.split("\r\n\r\n")[1] ?? "");
      assert.deepEqual([code, status], ["misdirected_request", 421], path);
    }
    assert.match(await askedPlainly("/apiary"), /^HTTP\/1\.1 308 /);
  });

  it("says that its port speaks HTTPS to who asks it plainly, and leads to no other name", async () => {
    const words = new RegExp(`This port speaks HTTPS: open https://127\\.0\\.0\\.1:${port}/$`, "m");
    for (const args of [[], ["--head"], ["--data", "password=secret"], token, host("evil.example")]) {
      const url = `http://127.0.0.1:${port}/users`;
      const { stdout } = await run("curl", ["--silent", "--show-error", "--include", ...args, url]);
      assert.match(stdout, /^HTTP\/1\.1 400 .*^Content-Type: text\/plain.*^Connection: close/ims);
      assert.doesNotMatch(stdout, /Location|Strict-Transport|secret|evil/i);
      if (args[0] !== "--head") assert.match(stdout, words);
    }
    assert.match(await curl("/api/version"), /^HTTP\/1\.1 200 /);
  });

  it("is switched off by a reload", async () => {
    decide({ enabled: false });
    assert.equal((await reload()).json.tls.listening, false);
    await assert.rejects(once(tcpConnect({ port, host: "127.0.0.1" }), "connect"), { code: "ECONNREFUSED" });
  });
});
