/** Events of the built agent at Debian's rsyslog and syslog-ng over TLS. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { AuditEvent } from "../../src/contract/types.ts";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { noticeOf } from "../../src/outbox/notices.ts";
import type { Delivery } from "../../src/outbox/receiver.ts";
import { createSyslog } from "../../src/outbox/syslog.ts";
import { type AgentProcess, startAgentProcess } from "../agents/running-agent.ts";
import { heldPort } from "../basics/held-ports.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { until } from "../basics/until.ts";
import { createAuthority } from "../host/certificates.ts";
import { unpacked } from "../host/debian-packages.ts";
import { messageOf } from "../host/messages.ts";
import { ended, rowsOf } from "./programs.ts";

const row = rowsOf("telemetry");
const unending = new AbortController().signal;

const directory = scratchDirectory();
let agent: AgentProcess;
let events: AuditEvent[];

before(async () => {
  agent = await startAgentProcess();
  const { token } = await agent.signedInAdmin();
  for (const name of ["pump-reader", "größe"]) {
    const body = { name, scopes: ["metrics:read"], expires_in: "1d" };
    await agent.call("POST", "/api/tokens", { token, body });
  }
  await agent.call("POST", "/api/auth/login", { body: { username: "admin", password: 'wrong"]\\' } });
  events = (await agent.call("GET", "/api/events?after=0&limit=50", { local: true })).json.items;
  assert.ok(events.length >= 4, JSON.stringify(events));
});
after(() => agent?.dispose());

/** The outbox's receiver of syslog at this port, which trusts the authorities of a file. */
function syslogAt(port: number, caFile: string | undefined) {
  const connections = createServerConnections({ allowLocalServers: true, caFile });
  const timers = { after: () => () => undefined };
  const plan = { server: "127.0.0.1", port, connections, timers, isAcknowledged: async () => false };
  const syslog = createSyslog({ ...plan, hostName: () => "edge-7", wall: Date.now });
  return () => syslog.deliver(messageOf(events.map((event) => noticeOf(event))), unending);
}

const linesOf = (file: string): string[] =>
  existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];

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
  after(() => ended(rsyslog));

  it("gets nothing before its certificate is verified", async () => {
    assert.match(JSON.stringify(await syslogAt(port, undefined)()), /"retry".*certificate cannot be trusted/);
    assert.equal(existsSync(log), false);
  });

  it("reads each event with its facts, and its close is the sign that it has read them", async () => {
    // The connection that was refused has made it complain.
    await until("rsyslog has seen the end of the other connection", () => said !== "");
    said = "";
    const delivery = await syslogAt(port, join(authorityDirectory(), "ca.pem"))();
    assert.deepEqual([delivery.outcome, said], ["taken", ""], JSON.stringify(delivery));
    await until("all are in its file", () => linesOf(log).length === events.length);
    const found = linesOf(log).map((line) => JSON.parse(line));
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
  after(() => ended(child));

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
    const deliver = syslogAt(port, ca);
    let delivery: Delivery | undefined;
    await until("syslog-ng listens", async () => {
      delivery = await deliver();
      return delivery.outcome === "taken";
    });
    const answer = "The server has read all and closed the connection";
    assert.deepEqual(delivery, { outcome: "taken", answer });
    await until("all are in its file", () => linesOf(log).length === events.length);
    const wanted = events.map(({ seq, hash }) => `edge-7 ${seq} ${hash}`);
    assert.deepEqual(linesOf(log), wanted);
    row("events that syslog-ng has read", wanted.length);
  });
});
