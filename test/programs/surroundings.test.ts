import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createServer as createTlsServer, type TlsOptions } from "node:tls";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { startForwardProxy } from "../../lab/host/forward-proxy.ts";
import { startMailServer } from "../../lab/host/mail-server.ts";
import { deviceId, testMessage } from "../../lab/host/messages.ts";
import { listening, startRawServer } from "../../lab/host/web-server.ts";
import { createProviderRequest } from "../../src/accounts/oidc/provider-requests.ts";
import type { Settings } from "../../src/contract/types.ts";
import type { TransferOptions } from "../../src/host/host.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import type { Surroundings } from "../../src/host/surroundings.ts";
import { createReceiverMaker } from "../../src/programs/agent/outbox/make-receivers.ts";
import { openOtlp } from "../../src/programs/agent/outbox/otlp-receiver.ts";
import type { OutboxPlan } from "../../src/programs/agent/outbox/outbox-plan.ts";
import { openSyslog } from "../../src/programs/agent/outbox/syslog-receiver.ts";
import { checkHostFile } from "../../src/programs/host-file/check.ts";
import { decisionsOf } from "../../src/programs/host-file/decisions.ts";
import { openRepository } from "../../src/releases/download/repository-files.ts";
import { caps } from "../../src/tuf/caps.ts";

const directory = scratchDirectory();
const authority = createAuthority(directory);
const name = "server.example";
const certificate = authority.certify(name);
const strangers = createAuthority(scratchDirectory());

/** A file with a certificate of this device, and its key. */
function clientFile(by: typeof authority, file: string): string {
  const { cert, key } = by.certify("device");
  writeFileSync(join(directory, file), `${cert}${key}`, { mode: 0o600 });
  return join(directory, file);
}

const client = clientFile(authority, "client.pem");
const foreign = clientFile(strangers, "foreign.pem");

const stops: (() => Promise<void>)[] = [];
after(() => Promise.all(stops.map((stop) => stop())));

function started<T extends { stop: () => Promise<void> }>(server: T): T {
  stops.push(server.stop);
  return server;
}

/** One server of a client's protocol. Returns its port. */
type Serve = (tls: TlsOptions) => Promise<number>;

const serveHttp: Serve = async (tls) => {
  const server = createServer({ ...certificate, ...tls }, (request, response) => {
    request.resume().on("end", () => response.end("{}"));
  });
  return started(await listening(server, "https", [])).port;
};

const serveSyslog: Serve = async (tls) => {
  const server = createTlsServer({ ...certificate, ...tls }, (socket) => {
    socket
      .on("error", () => undefined)
      .resume()
      .on("end", () => socket.end());
  });
  return started(await listening(server, "tls", [])).port;
};

const serveMail =
  (secure: boolean): Serve =>
  async (tls) =>
    started(await startMailServer(certificate, { ...tls, secure })).port;

const startTls = serveMail(false);

/** It sends an alert where it does not accept the certificate of its client. */
async function serveByOpenssl(): Promise<number> {
  const [cert, key] = [join(directory, "server.pem"), join(directory, "server.key")];
  writeFileSync(cert, certificate.cert);
  writeFileSync(key, certificate.key);
  const verifying = ["-Verify", "1", "-verify_return_error", "-CAfile", authority.path];
  const words = ["s_server", "-accept", "127.0.0.1:0", "-cert", cert, "-key", key, ...verifying];
  const server = spawn("openssl", words, { stdio: ["pipe", "pipe", "ignore"] });
  stops.push(async () => void server.kill());
  let text = "";
  for await (const piece of server.stdout) {
    text += String(piece);
    const port = /ACCEPT 127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  return assert.fail(`openssl did not listen: ${text}`);
}

const resolveHost = async () => ["127.0.0.1"];

/** The device's network, on which every name leads to loopback. */
const network = {
  isLocalServer: () => true,
  openTransfers: (options: TransferOptions) =>
    createTransfers({ ...options, resolveHost, allowLocalServers: true }),
  openConnections: (surroundings: Surroundings) =>
    createServerConnections({ ...surroundings, resolveHost, allowLocalServers: true }),
};

function planOf(file: object): OutboxPlan {
  const { document, faults } = checkHostFile(JSON.stringify(file));
  assert.ok(document, JSON.stringify(faults));
  return {
    config: {
      ...decisionsOf(document),
      build: { version: "1" },
      product: { name: "pump-7" },
      log: assert.fail,
    },
    host: {
      identity: { hostname: "edge-7", deviceId },
      network,
      time: { wall: Date.now, uptime: () => 0, timers: { after: () => () => undefined } },
    },
    settings: { read: () => ({ device: { name: "" } }) },
  } as unknown as OutboxPlan;
}

const signal = new AbortController().signal;
const secret = `whsec_${randomBytes(32).toString("base64")}`;

/** Delivers a message to a receiver. Returns its error; null: it was taken. */
async function toReceiver(plan: OutboxPlan, settings: Settings["notify"]["receivers"][number] | null) {
  const unused = async () => assert.fail();
  const secrets = { of: () => secret, isSet: () => true, set: unused, keepOnly: unused };
  const receiver =
    settings === null
      ? (openOtlp(plan) ?? openSyslog(plan))?.receiver
      : await createReceiverMaker(plan, secrets)(settings);
  const delivery = await receiver?.deliver(testMessage(), signal);
  return delivery?.outcome === "taken" ? null : (delivery?.error ?? "there is no receiver");
}

const mail = {
  ...{ name: "duty", kind: "mail", server: name, takes: "all" },
  ...{ from: "a@plant.example", to: ["b@plant.example"] },
} as const satisfies Settings["notify"]["receivers"][number];

/** null: it was done. */
async function errorOf(asking: Promise<unknown>): Promise<string | null> {
  return asking.then(() => null).catch(({ message }: Error) => message);
}

interface Client {
  readonly part: string;
  readonly rest?: object;
  readonly serve: Serve;
  /** One attempt to send. */
  readonly send: (plan: OutboxPlan, port: number) => Promise<string | null>;
}

const surroundingsOf = ({ config }: OutboxPlan, part: "update" | "oidc") =>
  (config as never as Record<"update" | "oidc", TransferOptions>)[part];
const toRoots = (plan: OutboxPlan) => toReceiver(plan, null);

const clients: Readonly<Record<string, Client>> = {
  "an update": {
    part: "update",
    serve: serveHttp,
    send: (plan, port) => {
      const transfers = network.openTransfers({ ...surroundingsOf(plan, "update"), redirects: 3 });
      const repository = openRepository({ transfers, url: `https://${name}:${port}`, caps, signal });
      return errorOf(repository.readMetadata("timestamp.json", { maximumBytes: 1_000 }));
    },
  },
  "a sign-in": {
    part: "oidc",
    rest: {
      ...{ issuer: `https://${name}`, client_id: "edge-7", origins: [`https://${name}`] },
      roles: { admin: ["a"] },
    },
    serve: serveHttp,
    send: (plan, port) => {
      const transfers = network.openTransfers({ ...surroundingsOf(plan, "oidc"), redirects: 0 });
      const request = createProviderRequest(transfers, [`https://${name}:${port}`]);
      return errorOf(request(`https://${name}:${port}/x`, { headers: {} }));
    },
  },
  "a webhook": {
    part: "notify",
    serve: serveHttp,
    send: (plan, port) =>
      toReceiver(plan, { name: "hook", kind: "webhook", url: `https://${name}:${port}/`, takes: "all" }),
  },
  "mail by TLS": {
    part: "notify",
    serve: serveMail(true),
    send: (plan, port) => toReceiver(plan, { ...mail, port, security: "tls" }),
  },
  "mail by STARTTLS": {
    part: "notify",
    serve: startTls,
    send: (plan, port) => toReceiver(plan, { ...mail, port, security: "starttls" }),
  },
  "a collector": { part: "telemetry.otlp", serve: serveHttp, send: toRoots },
  "a syslog server": { part: "telemetry.syslog", serve: serveSyslog, send: toRoots },
};

/** A host file with these members for one client, at its place, and those of `network`. */
function hostFileOf({ part, rest }: Client, port: number, own: object, ofNetwork: object) {
  const [first = "", second] = part.split(".");
  const place = second === "otlp" ? { url: `https://${name}:${port}` } : second ? { server: name, port } : {};
  const members = { ...rest, ...place, ...own };
  return { network: ofNetwork, [first]: second ? { [second]: members } : members };
}

const ca_file = authority.path;
const asking = { requestCert: true, rejectUnauthorized: true, ca: readFileSync(ca_file) };

describe("the surroundings of each client", () => {
  const old: TlsOptions = { maxVersion: "TLSv1.1", minVersion: "TLSv1", ciphers: "ALL:@SECLEVEL=0" };
  const withClient = { ca_file, client_certificate_file: client };

  /** The server, the client's own members, those of the network, and the error (PART: of the host file); null: it is taken. */
  const cases: readonly (readonly [string, TlsOptions, own: object, network: object, string | null])[] = [
    ["without its authority", {}, {}, {}, "authority of your own.*PART\\.ca_file"],
    ["with the authority of the network", {}, {}, { ca_file }, null],
    ["with an authority of its own", {}, { ca_file }, {}, null],
    ["without any", {}, { ca_file: "none" }, { ca_file }, "PART\\.ca_file"],
    ["that asks for a certificate", asking, {}, { ca_file }, "PART\\.client_certificate_file"],
    ["that asks for a certificate, with one", asking, {}, withClient, null],
    ["that speaks TLS 1.1 at most", old, {}, { ca_file }, "TLS from version 1\\.2 on"],
  ];
  for (const [who, kind] of Object.entries(clients)) {
    for (const [what, tls, own, ofNetwork, error] of cases)
      it(`${who}: a server ${what}`, async () => {
        const port = await kind.serve(tls);
        await expects(kind, await kind.send(planOf(hostFileOf(kind, port, own, ofNetwork)), port), error);
      });

    // Node's servers close without an alert, and openssl's knows no STARTTLS.
    if (kind.serve !== startTls)
      it(`${who}: a server that does not accept the certificate of this device`, async () => {
        const port = await serveByOpenssl();
        const file = hostFileOf(kind, port, { client_certificate_file: foreign }, { ca_file });
        await expects(kind, await kind.send(planOf(file), port), "PART\\.client_certificate_file");
      });

    it(`${who}: goes through the proxy of the network, or its own, or none`, async () => {
      const [port, proxy] = [await kind.serve({}), started(await startForwardProxy())];
      const through = { proxy: proxy.url };
      for (const [own, ofNetwork, times] of [
        [{}, through, 1],
        [through, { proxy: "http://127.0.0.1:9" }, 2],
        [{ proxy: "none" }, through, 2],
      ] as const) {
        const file = hostFileOf(kind, port, own, { ca_file, ...ofNetwork });
        await expects(kind, await kind.send(planOf(file), port), null);
        const requests = proxy.requests.map(({ method, url }) => `${method} ${url}`);
        assert.deepEqual(requests, Array(times).fill(`CONNECT ${name}:${port}`));
      }
    });

    for (const [answer, words] of [
      ["HTTP/1.1 403 No\r\n\r\n", "403"],
      ["HTTP/1.1 407 No\r\n\r\n", "407"],
      ["HTTP/1.1 502 No\r\n\r\n", "502"],
      ["", "closed the connection"],
    ] as const)
      it(`${who}: a proxy that answers ${JSON.stringify(answer)}`, async () => {
        const proxy = started(await startRawServer((socket) => socket.end(answer)));
        const file = hostFileOf(kind, 9, {}, { ca_file, proxy: proxy.url });
        // Strangers begin sign-ins, and do not learn where the proxy is.
        const expected = kind.part === "oidc" ? "network\\.proxy" : `network\\.proxy.*${words}`;
        await expects(kind, await kind.send(planOf(file), 9), expected);
      });
  }
});

async function expects({ part }: Client, error: string | null, expected: string | null): Promise<void> {
  if (expected === null) return assert.equal(error, null);
  assert.match(error ?? "it was taken", new RegExp(expected.replace("PART", part.replace(".", "\\."))));
  // No advice leads to the part of another client.
  for (const other of ["update", "oidc", "notify", "telemetry.otlp", "telemetry.syslog"])
    if (other !== part) assert.ok(!error?.includes(`${other}.`), error ?? "");
}
