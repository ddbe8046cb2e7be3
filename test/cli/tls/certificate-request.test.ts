import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import { connect } from "node:tls";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { heldPort } from "../../../lab/basics/held-ports.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { temporaryDirectory } from "../../../lab/command-line/run-steward.ts";
import { startAgent } from "../../../lab/command-line/scripted-agent.ts";
import { type CertificateWish, selfSigned } from "../../../lab/host/certificates.ts";

const authorities = scratchDirectory();
const authority: CertificateWish = {
  name: "Fleet CA",
  extensions: ["basicConstraints=critical,CA:TRUE", "subjectKeyIdentifier=hash"],
};
const root = selfSigned(authorities, authority);
const middle = root.issue({ ...authority, name: "Site CA" });
const forName = ["basicConstraints=CA:FALSE", "subjectAltName=DNS:edge-7.example.net"];

function newHostFile(test: TestContext): string {
  const etc = join(temporaryDirectory(test), "etc");
  mkdirSync(etc, { mode: 0o755 });
  const hostFile = join(etc, "steward.json");
  writeFileSync(hostFile, JSON.stringify({ names: ["edge-7.example.net"] }));
  return hostFile;
}

interface Place {
  readonly hostFile: string;
  readonly socket: string;
  readonly stateDirectory: string;
}

/** `tls` types `steward tls …` on the device, with this standard input. */
function deviceAt({ hostFile, socket, stateDirectory }: Place) {
  const places = { STEWARD_SOCKET: socket, STEWARD_STATE: stateDirectory };
  const environment = { STEWARD_HOST_FILE: hostFile, ...places };
  const tls = (words: readonly string[], input = "") => runSteward(["tls", ...words], { environment, input });
  return { directory: join(hostFile, "../tls"), tls };
}

/** One with an agent and HTTPS, which shows it at this port. */
async function servingDevice(test: TestContext) {
  const hostFile = newHostFile(test);
  const agent = await startAgentInProcess({ arguments: ["--host-file", hostFile] });
  test.after(() => agent.dispose());
  const port = await heldPort();
  const device = deviceAt({ ...agent, hostFile });
  assert.equal((await device.tls(["enable", "--port", String(port)])).code, 0);
  return { ...device, port, agent };
}

/** A device on which no agent runs. */
function silentDevice(test: TestContext, socket = join(temporaryDirectory(test), "none.sock")) {
  return deviceAt({ hostFile: newHostFile(test), socket, stateDirectory: temporaryDirectory(test) });
}

type Device = ReturnType<typeof silentDevice>;

async function requestOf({ tls }: Pick<Device, "tls">, ...words: string[]): Promise<string> {
  const { code, stdout, stderr } = await tls(["request", ...words]);
  assert.equal(code, 0, stderr);
  return stdout;
}

const install = ({ tls }: Pick<Device, "tls">, answer: string, caFile = root.path) =>
  tls(["install", "-", "--ca-file", caFile], answer);

function read(request: string): string {
  const words = ["req", "-verify", "-noout", "-text"];
  return execFileSync("openssl", words, { input: request, encoding: "utf8", stdio: "pipe" });
}

const installedIn = ({ directory }: Pick<Device, "directory">) => readdirSync(directory).sort();

/** Refused, and nothing is in the directory but the key that waits. */
async function refuses(device: Device, answer: string, why: RegExp, caFile?: string): Promise<void> {
  const { code, stderr } = await install(device, answer, caFile);
  assert.equal(code, 6, stderr);
  assert.match(stderr, why);
  assert.match(stderr, /Nothing was changed/);
  assert.deepEqual(installedIn(device), ["request.key"]);
}

describe("steward tls request", () => {
  it("makes a key that only root reads, and a request that openssl verifies, for the names of the device", async (test) => {
    const device = silentDevice(test);
    const text = read(await requestOf(device));
    assert.match(text, /ASN1 OID: prime256v1/);
    assert.match(text, /DNS:edge-7\.example\.net/);
    assert.match(text, new RegExp(`Subject: CN = ${hostname().toLowerCase()}`));
    assert.match(text, /X509v3 Extended Key Usage: \n\s*TLS Web Server Authentication/);
    assert.doesNotMatch(text, /localhost|127\.0\.0\.1|IP Address:(169\.254|.*:.*:)/);
    assert.equal(statSync(join(device.directory, "request.key")).mode & 0o777, 0o600);
    assert.equal(statSync(device.directory).mode & 0o777, 0o755);
  });

  it("has no address with --names-only, and keeps the key of a request that waits", async (test) => {
    const device = silentDevice(test);
    const publicKey = (request: string) => /pub:([\s0-9a-f:]+)/.exec(read(request))?.[1];
    const first = await requestOf(device);
    const second = await requestOf(device, "--names-only");
    assert.equal(publicKey(second), publicKey(first));
    assert.doesNotMatch(read(second), /IP Address/);
    assert.notEqual(publicKey(await requestOf(device, "--new-key")), publicKey(first));
  });

  it("never prints the key, and says so where it is damaged", async (test) => {
    const device = silentDevice(test);
    const { stdout, stderr } = await device.tls(["request", "-o", "json"]);
    assert.doesNotMatch(`${stdout}${stderr}`, /PRIVATE/);
    const document = JSON.parse(stdout);
    assert.deepEqual(Object.keys(document), ["request", "key_file", "names", "addresses"]);
    writeFileSync(document.key_file, "nothing");
    const damaged = await device.tls(["request"]);
    assert.equal(damaged.code, 1);
    assert.match(damaged.stderr, /request\.key is damaged.*--new-key/);
    await requestOf(device, "--new-key");
  });
});

describe("steward tls install", () => {
  it("has HTTPS show the answer of the CA, with its chain, and at the next one removes the former", async (test) => {
    const device = await servingDevice(test);
    for (const name of ["60-request-0001", "60-request-0002"]) {
      const answer = middle.answer(await requestOf(device));
      // In any order, and with the CA's own.
      const { code, stderr } = await install(device, `${root.cert}${middle.cert}${answer}`);
      assert.equal(code, 0, stderr);
      assert.match(stderr, new RegExp(`HTTPS shows the certificate, which is installed as ${name}`));
      assert.deepEqual(installedIn(device), [`${name}.crt`, `${name}.key`]);
      const key = statSync(join(device.directory, `${name}.key`));
      assert.deepEqual([key.mode & 0o777, key.gid], [0o640, statSync(device.agent.stateDirectory).gid]);
      const chain = readFileSync(join(device.directory, `${name}.crt`), "utf8");
      assert.equal(chain.match(/BEGIN CERTIFICATE/g)?.length, 2);
      assert.equal(await serialShown(device.port), new X509Certificate(answer).serialNumber);
    }
  });

  it("says which other certificate HTTPS goes on to show, and fails", async (test) => {
    const device = await servingDevice(test);
    const answer = root.answer(await requestOf(device));
    const mine = root.issue({ name: "mine", extensions: forName });
    writeFileSync(join(device.directory, "70-mine.crt"), mine.cert, { mode: 0o644 });
    writeFileSync(join(device.directory, "70-mine.key"), mine.key, { mode: 0o640 });
    const { code, stderr } = await install(device, answer);
    assert.equal(code, 1);
    assert.match(stderr, /installed as 60-request-0001, but 70-mine goes on to be shown/);
  });

  it("installs without an agent, for its start, and takes no answer without a request", async (test) => {
    const device = silentDevice(test);
    const none = await install(device, root.cert);
    assert.equal(none.code, 3);
    assert.match(none.stderr, /No request waits.*steward tls request/);
    const { code, stderr } = await install(device, root.answer(await requestOf(device)));
    assert.equal(code, 0, stderr);
    assert.match(stderr, /HTTPS shows it when the agent starts/);
    assert.deepEqual(installedIn(device), ["60-request-0001.crt", "60-request-0001.key"]);
    // The one that an agent may still show stays until another is shown.
    await install(device, root.answer(await requestOf(device)));
    assert.equal(installedIn(device).length, 4);
  });

  it("refuses a chain that is incomplete, of another CA, none, or not for a server, and says why", async (test) => {
    const device = silentDevice(test);
    const request = await requestOf(device);
    const answer = middle.answer(request);
    const missing = /incomplete: .* was issued by CN=Site CA, which is neither in the answer nor in/;
    await refuses(device, answer, missing);
    const other = selfSigned(authorities, authority);
    await refuses(device, `${answer}${middle.cert}`, /CN=Site CA was issued by CN=Fleet CA/, other.path);
    const noCaFile = await device.tls(["install", "-"], `${answer}${middle.cert}${root.cert}`);
    assert.equal(noCaFile.code, 6);
    assert.match(noCaFile.stderr, /the authorities of this system.*--ca-file FILE/);
    const key = join(device.directory, "request.key");
    const name = ["-subj", "/CN=a", "-addext", "subjectAltName=DNS:edge-7.example.net"];
    const self = ["req", "-x509", "-key", key, ...name];
    const own = execFileSync("openssl", self, { encoding: "utf8" });
    await refuses(device, own, /signed by its own key, and not by a CA/);
    // In openssl's words.
    const ofClient = root.answer(request, { extensions: [...forName, "extendedKeyUsage=clientAuth"] });
    const purpose = /openssl refuses it for a server \((unsupported|unsuitable) certificate purpose\)/;
    await refuses(device, ofClient, purpose);
  });

  for (const [trust, at, why] of [
    ["trusted", "2031-01-01", /expired at 2030-01-01.*it is 2031-01-01T01:00:00\.000Z at least/],
    ["none", "2028-01-01", null],
  ] as const)
    it(`goes by the agent's time, not this machine's: ${at} is ${trust}`, async (test) => {
      const time = { trust, floor_at: "2027-01-01T00:00:00Z", server_time: `${at}T00:00:00Z` };
      const { socketPath } = await startAgent(test, {
        "GET /api/system/time-sync": { body: { ...time, offset_seconds: 3_600 } },
        "POST /api/system/reload": { body: reloaded },
      });
      const device = silentDevice(test, socketPath);
      const validity = { from: "20290101000000Z", until: "20300101000000Z" };
      const answer = root.answer(await requestOf(device), { validity });
      if (why !== null) return refuses(device, answer, why);
      const { code, stderr } = await install(device, answer);
      assert.equal(code, 0, stderr);
    });
});

const reloaded = {
  needs_restart: [],
  tls: { enabled: false, listening: false, urls: [], certificate: null, refused: [], problem: null },
};

/** The serial number that the agent shows to a client that trusts only the fleet's CA. */
async function serialShown(port: number): Promise<string> {
  const socket = connect({ host: "127.0.0.1", port, servername: "edge-7.example.net", ca: root.cert });
  await new Promise((resolve, reject) => {
    socket.once("secureConnect", resolve).once("error", reject);
  });
  const { serialNumber } = socket.getPeerCertificate();
  socket.destroy();
  return serialNumber;
}
