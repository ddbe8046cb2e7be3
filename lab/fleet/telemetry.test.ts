/** Events of the built agent at Debian's rsyslog over TLS, and the bytes that its events and metrics cost. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { AuditEvent } from "../../src/contract/types.ts";
import type { MetricSink } from "../../src/figures/metrics/exposition.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import { noticeOf } from "../../src/outbox/notices.ts";
import { createOtlp, type Otlp } from "../../src/outbox/otlp.ts";
import type { Delivery, Message } from "../../src/outbox/receiver.ts";
import { createSyslog } from "../../src/outbox/syslog.ts";
import { type AgentProcess, startAgentProcess } from "../agents/running-agent.ts";
import { heldPort } from "../basics/held-ports.ts";
import { samplesOf } from "../basics/metrics-samples.ts";
import { until } from "../basics/until.ts";
import { createAuthority } from "../host/certificates.ts";
import { startCollector } from "../host/otlp-collector.ts";
import { addRow } from "./table.ts";

const root = join(import.meta.dirname, "../..");
const row = (what: string, value: string): void => addRow({ subject: "telemetry", what, value });
const unending = new AbortController().signal;
const deviceId = "4f1d0c8e9a3b4c5d8e7f001122334455";

function unpacked(...given: string[]): string {
  const script = ["scripts/unpack-packages.sh", ...given];
  return execFileSync("sh", script, { cwd: root, encoding: "utf8" }).trim();
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}

function messageOf(events: readonly AuditEvent[]): Message {
  const notices = events.map((event) => noticeOf(event));
  const id = `${deviceId}-${notices[0]?.seq}-${notices.at(-1)?.seq}`;
  const device = { id: deviceId, name: null };
  return {
    ...{ id, device, notices, count: notices.length },
    counts: {},
    gap: null,
    isTest: false,
    language: "en",
  };
}

function otlpAt(url: string, caFile?: string): Otlp {
  const resource = { version: "0.1.0", deviceId, deviceName: null, hostName: "edge-7", product: "steward" };
  return createOtlp({
    ...{ url, headers: async () => ({}), resource: () => resource, wall: Date.now },
    transfers: createTransfers({ redirects: null, allowLocalServers: true, caFile }),
  });
}

/** Gives a sink the values of an answer to Prometheus. */
function readText(text: string): (sink: MetricSink) => Promise<void> {
  const types = new Map([...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]));
  const series = [...samplesOf(text)].map(([one, value]) => {
    const [, name = "", labels = ""] = /^([^{]+)(?:\{(.*)\})?$/.exec(one) ?? [];
    const pairs = [...labels.matchAll(/([a-z_]+)="((?:[^"\\]|\\.)*)"/g)].map(([, key, text]) => [key, text]);
    return { name, labels: Object.fromEntries(pairs) as Record<string, string>, value };
  });
  return async (sink) => {
    for (const { name, labels, value } of series)
      if (types.has(name)) sink.add(name as never, value, labels as never);
    for (const [name, type] of types) if (type === "histogram") addHistograms(sink, name ?? "", series);
  };
}

interface Series {
  readonly name: string;
  readonly labels: Record<string, string>;
  readonly value: number;
}

function addHistograms(sink: MetricSink, name: string, series: readonly Series[]): void {
  for (const { labels, value: sum } of series.filter((one) => one.name === `${name}_sum`)) {
    const isOfIt = (one: Series) => Object.entries(labels).every(([key, value]) => one.labels[key] === value);
    const cumulative = series
      .filter((one) => one.name === `${name}_bucket` && isOfIt(one))
      .map((one) => ({ bound: Number(one.labels.le?.replace("+Inf", "Infinity")), count: one.value }));
    sink.addHistogram(name as never, { cumulative, sum }, labels as never);
  }
}

let directory: string;
let agent: AgentProcess;
let text: string;
let events: AuditEvent[];

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "steward-fleet-telemetry-"));
  agent = await startAgentProcess();
  const { token } = await agent.signedInAdmin();
  for (const name of ["pump-reader", "größe"]) {
    const body = { name, scopes: ["metrics:read"], expires_in: "1d" };
    await agent.call("POST", "/api/tokens", { token, body });
  }
  await agent.call("POST", "/api/auth/login", { body: { username: "admin", password: 'wrong"]\\' } });
  // The second has the requests of the first.
  await agent.call("GET", "/api/metrics", { local: true });
  text = (await agent.call("GET", "/api/metrics", { local: true })).text;
  events = (await agent.call("GET", "/api/events?after=0&limit=50", { local: true })).json.items;
  assert.ok(events.length >= 4, JSON.stringify(events));
});
after(async () => {
  await agent?.dispose();
  if (directory) rmSync(directory, { recursive: true, force: true });
});

describe("rsyslog of Debian as a receiver of events", () => {
  let rsyslog: ChildProcess | undefined;
  let port: number;
  let log: string;
  let said = "";
  const authorityDirectory = () => join(directory, "authority");

  before(async () => {
    const packages = ["rsyslog", "rsyslog-gnutls", "libestr0", "libfastjson4"];
    const folder = unpacked("rsyslog", "usr/sbin/rsyslogd", ...packages);
    const libraries = join(
      folder,
      execFileSync("sh", ["-c", "ls -d usr/lib/*-linux-gnu"], { cwd: folder, encoding: "utf8" }).trim(),
    );
    mkdirSync(authorityDirectory());
    const { path: ca, certify } = createAuthority(authorityDirectory());
    const { key, cert } = certify("127.0.0.1");
    const [keyFile, certFile] = [join(directory, "key.pem"), join(directory, "cert.pem")];
    writeFileSync(keyFile, key);
    writeFileSync(certFile, cert);
    log = join(directory, "syslog");
    const file = join(directory, "rsyslog.conf");
    writeFileSync(
      file,
      `global(workDirectory="${directory}" defaultNetstreamDriver="gtls" defaultNetstreamDriverCAFile="${ca}"
  defaultNetstreamDriverCertFile="${certFile}" defaultNetstreamDriverKeyFile="${keyFile}" maxMessageSize="64k")
module(load="imtcp" streamDriver.Name="gtls" streamDriver.Mode="1" streamDriver.AuthMode="anon")
module(load="mmpstrucdata")
input(type="imtcp" port="0" address="127.0.0.1" listenPortFileName="${directory}/port")
template(name="whole" type="list") { property(name="jsonmesg") constant(value="\\n") }
action(type="mmpstrucdata")
action(type="omfile" file="${log}" template="whole")
`,
    );
    const options = ["-n", "-f", file, "-i", join(directory, "pid"), "-M", join(libraries, "rsyslog")];
    rsyslog = spawn(join(folder, "usr/sbin/rsyslogd"), options, {
      ...{ stdio: "pipe", env: { ...process.env, LD_LIBRARY_PATH: libraries } },
    });
    for (const stream of [rsyslog.stdout, rsyslog.stderr])
      stream?.setEncoding("utf8").on("data", (words: string) => {
        said += words;
      });
    await until(`rsyslog listens; it says ${said}`, () => existsSync(join(directory, "port")));
    port = Number(readFileSync(join(directory, "port"), "utf8"));
  });
  after(() => end(rsyslog));

  const deliver = (caFile: string | undefined) => {
    const connections = createServerConnections({ allowLocalServers: true, caFile });
    const timers = { after: () => () => undefined };
    const plan = { server: "127.0.0.1", port, connections, timers, isAcknowledged: async () => false };
    return createSyslog({ ...plan, hostName: () => "edge-7", wall: Date.now }).deliver(
      messageOf(events),
      unending,
    );
  };

  it("gets nothing before its certificate is verified", async () => {
    assert.match(JSON.stringify(await deliver(undefined)), /"retry".*certificate cannot be trusted/);
    assert.equal(existsSync(log), false);
  });

  it("reads each event with its facts, and its close is the sign that it has read them", async () => {
    // The connection that was refused has made it complain.
    await until("rsyslog has seen the end of the other connection", () => said !== "");
    said = "";
    const delivery = await deliver(join(authorityDirectory(), "ca.pem"));
    assert.deepEqual([delivery.outcome, said], ["taken", ""], JSON.stringify(delivery));
    const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
    await until("all are in its file", () => lines().length === events.length);
    const found = lines().map((line) => JSON.parse(line));
    for (const [index, event] of events.entries()) {
      const one = found[index];
      const facts = one["$!"]["rfc5424-sd"]["steward@32473"];
      assert.deepEqual(
        [one.hostname, one["app-name"] ?? one.programname, facts.seq, facts.hash],
        ["edge-7", "steward", String(event.seq), event.hash],
      );
      assert.equal(one.syslogfacility, "13");
      const { name } = event.details as { name?: string };
      if (name !== undefined) assert.equal(facts["details.name"], name);
    }
    row("events that rsyslog has read, each with its facts", String(found.length));
  });
});

describe("syslog-ng of Debian as a receiver of events", () => {
  let child: ChildProcess | undefined;
  after(() => end(child));

  it("has read each event when it closes, and is asked for no acknowledgement of TCP", async () => {
    const libraries = ["libivykis0", "libnet1", "libwrap0", "libnsl2", "libtirpc3", "libpcre3", "libjson-c5"];
    const folder = unpacked("syslog-ng", "usr/sbin/syslog-ng", "syslog-ng-core", ...libraries);
    const here = join(directory, "syslog-ng");
    mkdirSync(here);
    const { path: ca, certify } = createAuthority(here);
    for (const [name, text] of Object.entries(certify("127.0.0.1"))) writeFileSync(join(here, name), text);
    const log = join(here, "log");
    const port = await heldPort();
    writeFileSync(
      join(here, "conf"),
      `@version: 3.38
source net { syslog(ip("127.0.0.1") port(${port}) transport("tls") keep-hostname(yes)
  tls(key-file("${here}/key") cert-file("${here}/cert") peer-verify(optional-untrusted))); };
destination file { file("${log}" template("\${HOST} \${.SDATA.steward@32473.seq} \${.SDATA.steward@32473.hash}\n")); };
log { source(net); destination(file); };
`,
    );
    const find = "find . -name 'lib*.so.*' -exec dirname {} + | sort -u; ls -d usr/lib/syslog-ng/3*";
    const found = execFileSync("sh", ["-c", find], { cwd: folder, encoding: "utf8" }).trim().split("\n");
    const at = found.map((path) => join(folder, path));
    const files = ["pidfile", "persist-file", "control"].map((name) => `--${name}=${join(here, name)}`);
    child = spawn(
      join(folder, "usr/sbin/syslog-ng"),
      ["--foreground", "--no-caps", `--cfgfile=${here}/conf`, `--module-path=${at.at(-1)}`, ...files],
      { stdio: "ignore", env: { ...process.env, LD_LIBRARY_PATH: at.slice(0, -1).join(":") } },
    );
    const syslog = createSyslog({
      ...{ server: "127.0.0.1", port, hostName: () => "edge-7", wall: Date.now },
      connections: createServerConnections({ allowLocalServers: true, caFile: ca }),
      ...{ timers: { after: () => () => undefined }, isAcknowledged: async () => false },
    });
    let delivery: Delivery | undefined;
    await until("syslog-ng listens", async () => {
      delivery = await syslog.deliver(messageOf(events), unending);
      return delivery.outcome === "taken";
    });
    const answer = "The server has read all and closed the connection";
    assert.deepEqual(delivery, { outcome: "taken", answer });
    const lines = () => (existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : []);
    await until("all are in its file", () => lines().length === events.length);
    assert.deepEqual(
      lines(),
      events.map(({ seq, hash }) => `edge-7 ${seq} ${hash}`),
    );
    row("events that syslog-ng has read", String(lines().length));
  });
});

describe("the cost of a device", () => {
  it("is measured over HTTPS, with the handshakes of TLS", async (test) => {
    const authority = createAuthority(mkdtempSync(join(directory, "ca-")));
    const collector = await startCollector(authority.certify("127.0.0.1"));
    test.after(collector.stop);
    const otlp = otlpAt(collector.url, authority.path);
    const cost = async (send: () => ReturnType<Otlp["deliver"]>): Promise<number> => {
      const wireBytes = collector.wireBytes;
      assert.deepEqual([await send(), collector.faults], [{ outcome: "taken", answer: "200 OK" }, []]);
      await until("the connection is closed", () => collector.wireBytes > wireBytes);
      return collector.wireBytes - wireBytes;
    };
    const kib = (bytes: number): string => `${(bytes / 1_024).toFixed(1)} KiB`;
    const push = await cost(() => otlp.pushMetrics(readText(text), unending));
    const { sentBytes, plainBytes } = collector.received[0] ?? { sentBytes: 0, plainBytes: 0 };
    row(
      "metrics, a push by OTLP",
      `${kib(push)} on the wire, ${kib(sentBytes)} of it the body (${kib(plainBytes)} of JSON)`,
    );
    row("metrics, a day by pushes each 5 min", `${((push * 288) / 1_048_576).toFixed(2)} MiB`);
    const [first] = events;
    assert.ok(first !== undefined);
    const single = await cost(() => otlp.deliver(messageOf([first]), unending));
    const twenty = Array.from({ length: 20 }, (_, index) => events[index % events.length] ?? first);
    const many = await cost(() => otlp.deliver(messageOf(twenty), unending));
    row("events, one a message by OTLP", kib(single));
    row("events, each of 20 in a message by OTLP", kib(many / 20));
    // A push that costs ten times as much would be a fault, not a load.
    assert.ok(push < 65_536 && single < 16_384, `${push}, ${single}`);
  });
});
