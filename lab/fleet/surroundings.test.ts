/** Deliveries of the device through Debian's tinyproxy, and to an nginx that asks for the certificate of its client. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, it } from "node:test";
import { createServer } from "node:tls";
import { createTimers } from "../../src/host/linux/timers.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import type { Surroundings } from "../../src/host/surroundings.ts";
import { createMail } from "../../src/outbox/mail.ts";
import { createOtlp } from "../../src/outbox/otlp.ts";
import type { Receiver } from "../../src/outbox/receiver.ts";
import { createSyslog } from "../../src/outbox/syslog.ts";
import { createWebhook } from "../../src/outbox/webhook.ts";
import { makeWebhookSecret } from "../../src/outbox/webhook-signature.ts";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { until } from "../basics/until.ts";
import { type Authority, createAuthority } from "../host/certificates.ts";
import { unpacked } from "../host/debian-packages.ts";
import { mailUser } from "../host/mail-server.ts";
import { testMessage } from "../host/messages.ts";
import { startNginx } from "./nginx-server.ts";
import { startPostfix } from "./postfix-server.ts";
import { rowsOf, servingMounted } from "./programs.ts";

const row = rowsOf("surroundings");

const name = "server.example";
const directory = scratchDirectory();
const authority = createAuthority(directory);
const clock = { wall: Date.now, uptime: () => 0 };
const hostName = () => "edge-7";

/** A file with a certificate and its key. */
function pairOf({ certify }: Authority, name: string, file: string): string {
  const { cert, key } = certify(name);
  writeFileSync(join(directory, file), `${cert}${key}`, { mode: 0o600 });
  return join(directory, file);
}

const server = pairOf(authority, name, "server.pem");
const client = pairOf(authority, "device", "client.pem");
const foreign = pairOf(createAuthority(scratchDirectory()), "device", "foreign.pem");

/** Debian's tinyproxy, which allows CONNECT to these ports, and which knows the name of the servers. As root. */
async function startTinyproxy(test: Ending, ports: readonly number[]) {
  const place = unpacked("tinyproxy", "usr/bin/tinyproxy", "tinyproxy-bin");
  const own = await temporaryDirectory(test);
  const [port, log, file] = [await heldPort(), join(own, "log"), join(own, "tinyproxy.conf")];
  const allowed = ports.map((one) => `ConnectPort ${one}`).join("\n");
  writeFileSync(log, "");
  writeFileSync(
    file,
    `Port ${port}\nListen 127.0.0.1\nLogFile "${log}"\nLogLevel Info\nTimeout 60\nMaxClients 20\n${allowed}\n`,
  );
  const hosts = join(own, "hosts");
  writeFileSync(hosts, `127.0.0.1 ${name}\n`);
  const run = 'mount --bind "$1" /etc/hosts && exec "$2" -d -c "$3"';
  const program = join(place, "usr/bin/tinyproxy");
  const said = () => readFileSync(log, "utf8");
  await servingMounted(test, port, [run, hosts, program, file], said);
  return { url: `http://127.0.0.1:${port}`, said };
}

/** An nginx with TLS, on a port of its own. `more`: directives. */
async function startSecureNginx(test: Ending, more = ""): Promise<number> {
  const port = await heldPort();
  const tls = `ssl_certificate ${server}; ssl_certificate_key ${server}; ${more}`;
  await startNginx(test, directory, `listen 127.0.0.1:${port} ssl; ${tls} location / { return 200 "{}"; }`);
  return port;
}

/** Directly, the name leads to loopback; through a proxy it is not looked up. */
const reached = { allowLocalServers: true, resolveHost: async () => ["127.0.0.1"] };

function webhookTo(port: number, surroundings: Partial<Surroundings>): Receiver {
  const transfers = createTransfers({ redirects: null, ...reached, ...surroundings });
  const url = `https://${name}:${port}/`;
  const secret = makeWebhookSecret();
  return createWebhook({ url, service: null, secret, transfers, allowHttp: false, ...clock });
}

function collectorAt(port: number, surroundings: Partial<Surroundings>): Receiver {
  const resource = {
    version: "0.1.0",
    deviceId: "a",
    deviceName: null,
    hostName: "edge-7",
    product: "steward",
  };
  const transfers = createTransfers({ redirects: null, ...reached, ...surroundings });
  const way = { url: `https://${name}:${port}`, headers: async () => ({}), transfers };
  return createOtlp({ ...way, resource: () => resource, ...clock });
}

/** A syslog server that reads all and closes. Returns its port. */
async function startSyslogSink(test: Ending): Promise<number> {
  const pair = readFileSync(server);
  const sink = createServer({ cert: pair, key: pair }, (socket) => {
    socket.on("error", () => undefined).resume();
  });
  await new Promise<void>((resolve) => sink.listen(0, "127.0.0.1", resolve));
  test.after(() => new Promise((resolve) => sink.close(() => resolve())));
  return (sink.address() as AddressInfo).port;
}

const deliver = (receiver: Receiver) => receiver.deliver(testMessage(), new AbortController().signal);

describe("an nginx that asks for the certificate of its client", { timeout: 120_000 }, () => {
  it("takes a webhook and a collector's request with it, and the errors without it name the member", async (test) => {
    const asks = `ssl_client_certificate ${authority.path}; ssl_verify_client on;`;
    const port = await startSecureNginx(test, asks);
    const caFile = authority.path;
    for (const receiverAt of [webhookTo, collectorAt]) {
      const taken = await deliver(receiverAt(port, { caFile, clientCertificateFile: client }));
      assert.equal(taken.outcome, "taken", JSON.stringify(taken));
      for (const [clientCertificateFile, words] of [
        [
          undefined,
          /asks this device for a certificate\. Name a certificate for it with network\.client_cert/,
        ],
        [foreign, /does not accept the certificate of this device .* network\.client_certificate_file/],
      ] as const) {
        const refused = await deliver(receiverAt(port, { caFile, clientCertificateFile }));
        assert.match(JSON.stringify(refused), words);
      }
    }
    row("receivers behind an nginx with ssl_verify_client", 2);
  });
});

describe("Debian's tinyproxy", { timeout: 120_000 }, () => {
  it("takes webhooks, requests to a collector, mail and syslog by CONNECT to the ports that it allows", async (test) => {
    const [web, forbidden] = [await startSecureNginx(test), await startSecureNginx(test)];
    const postfix = await startPostfix(test, authority.certify(name), mailUser);
    const syslog = await startSyslogSink(test);
    const proxy = await startTinyproxy(test, [web, postfix.submission, postfix.submissions, syslog]);
    const surroundings = { caFile: authority.path, proxy: proxy.url };
    const connections = createServerConnections({ allowLocalServers: false, ...surroundings });
    const mailTo = (port: number, security: "starttls" | "tls") =>
      createMail({
        ...{ server: name, port, security, ...mailUser, connections, ...clock, hostName },
        ...{ from: "steward@plant.example", to: ["owner@plant.example"] },
      });
    const ofTcp = { timers: createTimers(), isAcknowledged: async () => false };
    const receivers: readonly (readonly [Receiver, number])[] = [
      [webhookTo(web, surroundings), web],
      [collectorAt(web, surroundings), web],
      [mailTo(postfix.submission, "starttls"), postfix.submission],
      [mailTo(postfix.submissions, "tls"), postfix.submissions],
      [createSyslog({ server: name, port: syslog, connections, hostName, ...clock, ...ofTcp }), syslog],
    ];
    for (const [receiver, port] of receivers) {
      const delivery = await deliver(receiver);
      assert.equal(delivery.outcome, "taken", `${port}: ${JSON.stringify(delivery)}`);
      assert.match(proxy.said(), new RegExp(`CONNECT ${name}:${port} `));
    }
    await until("both mails are in the mailbox", () => postfix.mails().length === 2);
    const refused = await deliver(webhookTo(forbidden, surroundings));
    assert.match(
      JSON.stringify(refused),
      /network\.proxy in the host file\) did not connect to .*: it answered 403/,
    );
    row("receivers through tinyproxy", receivers.length);
  });
});
