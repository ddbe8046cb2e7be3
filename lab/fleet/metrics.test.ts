/** A real Prometheus, as Debian has it, scrapes the built agent with the configuration of scripts/monitoring. */
import assert from "node:assert/strict";
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { certificateLines, prometheusJob, savingLine, wayIn } from "../../src/console/account/token-use.ts";
import { eventTypes } from "../../src/contract/event-types.ts";
import { type AgentProcess, startAgentProcess } from "../agents/running-agent.ts";
import { heldPort } from "../basics/held-ports.ts";
import { samplesOf } from "../basics/metrics-samples.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { until } from "../basics/until.ts";
import { ended, prometheusPrograms, rowsOf } from "./programs.ts";

const root = join(import.meta.dirname, "../..");
const row = rowsOf("metrics");

describe("Prometheus and an agent", () => {
  const directory = scratchDirectory();
  let programs: string;
  let agent: AgentProcess;
  let httpsPort: number;
  let admin: string;
  let token: { id: string; token: string };
  let prometheus: ChildProcess | undefined;
  let prometheusUrl: string;
  let said = "";

  before(async () => {
    programs = prometheusPrograms();
    httpsPort = await heldPort();
    const hostFile = join(directory, "steward.json");
    const https = { enabled: true, port: httpsPort, address: "127.0.0.1" };
    writeFileSync(hostFile, JSON.stringify({ names: ["edge-7.example.net"], https }));
    agent = await startAgentProcess({ arguments: ["--host-file", hostFile] });
    admin = (await agent.signedInAdmin()).token;
    const body = { name: "prometheus", scopes: ["metrics:read"], expires_in: "1d" };
    token = (await agent.call("POST", "/api/tokens", { token: admin, body })).json;
  });
  after(async () => {
    await ended(prometheus);
    await agent?.dispose();
  });

  it("promtool takes the section that the console shows with a new token, and the files that it names", async () => {
    const { json: tls } = await agent.call("GET", "/api/system/tls", { token: admin });
    const way = wayIn(`https://127.0.0.1:${httpsPort}`, tls);
    const place = join(directory, "pasted");
    mkdirSync(place);
    writeFileSync(join(place, "prometheus.yml"), `${prometheusJob(way)}\n`);
    const check = () =>
      spawnSync(join(programs, "promtool"), ["check", "config", "--lint-fatal", "prometheus.yml"], {
        cwd: place,
        encoding: "utf8",
      });
    assert.match(check().stderr, /steward-ca\.pem|steward\.token/, "without the files");
    // The token is pasted, as the page says, and is in no line.
    execFileSync("sh", ["-c", `${savingLine}\n${certificateLines(way)}`], { cwd: place, input: token.token });
    const { status, stdout, stderr } = check();
    assert.equal(status, 0, stdout + stderr);
    assert.match(stdout, /SUCCESS: prometheus\.yml is valid/);
  });

  const scrape = async (): Promise<string> => {
    const { status, text } = await agent.call("GET", "/api/metrics", { token: token.token });
    assert.equal(status, 200, text);
    return text;
  };

  /** The values of a query to Prometheus, by the job of their series. */
  const ask = async (query: string): Promise<Record<string, number>> => {
    const answer = await fetch(`${prometheusUrl}/api/v1/query?query=${encodeURIComponent(query)}`);
    const { data } = (await answer.json()) as {
      data: { result: { metric: { job?: string }; value: [number, string] }[] };
    };
    return Object.fromEntries(data.result.map(({ metric, value }) => [metric.job ?? "", Number(value[1])]));
  };

  it("promtool finds nothing to say about the answer", async () => {
    // Two scrapes: from the second on it has the requests and the event loop too.
    await scrape();
    const text = await scrape();
    const { status, stdout, stderr } = spawnSync(join(programs, "promtool"), ["check", "metrics"], {
      input: text,
      encoding: "utf8",
    });
    assert.deepEqual([status, stdout, stderr], [0, "", ""]);
    row("series of an answer", `${samplesOf(text).size}, ${Math.round(text.length / 1_024)} KiB`);
  });

  it("is scraped with the configuration as it is, over HTTPS with the device's own certificate, and over HTTP", async () => {
    for (const name of ["alerts.yml", "prometheus.yml"])
      cpSync(join(root, "scripts/monitoring", name), join(directory, name));
    writeFileSync(join(directory, "steward.token"), `${token.token}\n`, { mode: 0o600 });
    cpSync(join(agent.stateDirectory, "tls/certificate.pem"), join(directory, "steward-ca.pem"));
    writeFileSync(join(directory, "steward-devices.yml"), `- targets: ["localhost:${httpsPort}"]\n`);
    const file = join(directory, "prometheus.yml");
    const http = `  - job_name: over-http
    metrics_path: /api/metrics
    authorization: { credentials_file: steward.token }
    static_configs: [{ targets: ["127.0.0.1:${agent.port}"] }]
`;
    const faster = readFileSync(file, "utf8").replace("scrape_interval: 1m", "scrape_interval: 1s");
    writeFileSync(file, faster.replace("evaluation_interval: 1m", "evaluation_interval: 1s") + http);
    const port = await heldPort();
    prometheusUrl = `http://127.0.0.1:${port}`;
    mkdirSync(join(directory, "data"));
    prometheus = spawn(
      join(programs, "prometheus"),
      [
        ...["--config.file", file, "--storage.tsdb.path", join(directory, "data")],
        ...["--web.listen-address", `127.0.0.1:${port}`, "--log.level", "warn"],
      ],
      { stdio: ["ignore", "ignore", "pipe"] },
    );
    prometheus.stderr?.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
    const isUp = async () => {
      const up = await ask("up").catch((): Record<string, number> => ({}));
      return up.steward === 1 && up["over-http"] === 1;
    };
    await until(`Prometheus scrapes both ways; it says ${said}`, isUp);
  });

  it("has the values of the agent in its database, by their types", async () => {
    for (const [query, value] of [
      ["steward_accounts", 1],
      ["count by (job) (steward_events_total)", Object.keys(eventTypes).length],
      ['sum by (job) (steward_clock_state{state="unsynchronised"})', 1],
    ] as const)
      assert.deepEqual(await ask(query), { steward: value, "over-http": value }, query);
    const certificate = join(agent.stateDirectory, "tls/certificate.pem");
    const end = execFileSync("openssl", ["x509", "-in", certificate, "-noout", "-enddate"], {
      encoding: "utf8",
    });
    const expiry = await ask("steward_https_certificate_expiry_timestamp_seconds");
    assert.equal(expiry.steward, Date.parse(end.replace("notAfter=", "")) / 1_000);
    // As the agent counts its own scrapes, so does Prometheus see them rise.
    const scrapes = 'increase(steward_http_requests_total{route="/api/metrics",status="200"}[1m])';
    const quantile = `histogram_quantile(0.99, sum by (job, le) (rate(steward_http_request_duration_seconds_bucket{group="system"}[1m])))`;
    for (const query of [scrapes, quantile, "steward_event_loop_delay_seconds_count"])
      await until(`${query} is above 0`, async () => ((await ask(query)).steward ?? 0) > 0);
    for (const [job, seconds] of Object.entries(await ask("scrape_duration_seconds")))
      row(`a scrape ${job === "steward" ? "over HTTPS" : "over HTTP"}`, `${(seconds * 1_000).toFixed(1)} ms`);
  });

  it("raises the alerts of its rules by the agent's values: this one has no time server", async () => {
    const query = 'ALERTS{alertname="StewardClockNotSynchronised",job="steward"}';
    await until("the alert is pending", async () => (await ask(query)).steward === 1);
    assert.deepEqual(await ask('ALERTS{alertname="StewardDown"}'), {});
  });

  it("is refused when the token is deleted, and the alert is pending", async () => {
    const { status } = await agent.call("DELETE", `/api/tokens/${token.id}`, { token: admin });
    assert.equal(status, 204);
    const down = 'ALERTS{alertname="StewardDown"}';
    await until("the alert is pending", async () => (await ask(down)).steward === 1);
  });
});

describe("a scrape and the disk", () => {
  const directory = scratchDirectory();
  let agent: AgentProcess;
  let strace: ChildProcess | undefined;
  before(async () => {
    agent = await startAgentProcess();
    await agent.signedInAdmin();
  });
  after(async () => {
    await ended(strace);
    await agent?.dispose();
  });

  /** strace over all threads of the agent, once it sees them. */
  const trace = async (name: string, ...args: string[]): Promise<string> => {
    const file = join(directory, name);
    strace = spawn("strace", ["-f", "-y", "-p", String(agent.pid), "-o", file, ...args], {
      stdio: ["ignore", "ignore", "pipe"],
    });
    let words = "";
    strace.stderr?.setEncoding("utf8").on("data", (text: string) => {
      words += text;
    });
    await until(`strace is attached: ${words}`, () => /attached/.test(words));
    return file;
  };
  const scrape = async (): Promise<void> => {
    const { status, text } = await agent.call("GET", "/api/metrics", { local: true });
    assert.equal(status, 200, text);
  };

  /** The files that the agent has touched while it answered 20 scrapes, and what else it was doing. */
  const touchedBy20 = async (name: string): Promise<string[]> => {
    const file = await trace(name, "-e", "trace=%file,%desc");
    // Until then the agent may have the kernel's figures from the scrape before (system/brief-reading.ts).
    await delay(250);
    for (let round = 0; round < 20; round += 1) await scrape();
    await ended(strace);
    // The directory that openat(2) would begin at, were its path relative, is none that it touches.
    const lines = readFileSync(file, "utf8")
      .replaceAll(/AT_FDCWD<[^>]*>/g, "AT_FDCWD")
      .split("\n");
    assert.ok(lines.filter((line) => /write|send/.test(line)).length >= 20, "strace saw no answers");
    // The path of a call, or with -y that of its file descriptor.
    const paths = lines.flatMap((line) =>
      [...line.matchAll(/(?:<|")(\/[^>"]*)(?:>|")/g)].map(([, path]) => path ?? ""),
    );
    assert.ok(paths.includes("/proc/self/stat"), paths.join("\n").slice(0, 1_000));
    // The time zone's link is looked at, and not read: a need is made of it.
    return [...new Set(paths)].filter(
      (path) =>
        !/^\/(proc|dev|sys\/fs\/cgroup|usr\/share\/zoneinfo)\/|^\/etc\/localtime$/.test(path) &&
        !path.startsWith(agent.runDirectory),
    );
  };

  it("touches no file but /proc/self, and the time zone's link", async () => {
    await scrape();
    // The agent may be writing what the sign-in has changed; a scrape that touched a file would do so in every round.
    const rounds: string[][] = [];
    while (rounds.length < 5 && rounds.at(-1)?.length !== 0) {
      rounds.push(await touchedBy20(`calls-${rounds.length}`));
    }
    assert.deepEqual(rounds.at(-1), [], JSON.stringify(rounds));
    row("files of the disk that 20 scrapes touch", "0");
  });

  it("is answered while a write stalls: the disk takes 30 s for each", async () => {
    // Microseconds; strace lets the call go when it ends.
    const inject = "inject=fsync,fdatasync:delay_enter=30000000";
    const file = await trace("stalled", "-e", "trace=fsync,fdatasync", "-e", inject);
    let isWritten = false;
    const body = { device: { name: "while the disk stalls" } };
    const writing = agent.call("PUT", "/api/system", { local: true, body }).then((answer) => {
      isWritten = true;
      return answer;
    });
    await until("the write has begun", () => /f(data)?sync\(/.test(readFileSync(file, "utf8")));
    for (let round = 0; round < 20; round += 1) await scrape();
    assert.equal(isWritten, false, "the disk did not stall");
    await ended(strace);
    assert.equal((await writing).status, 200);
    row("scrapes answered while one write of the state stalled", "20");
  });
});
