import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** The proxy that agents in a test's own process trust. */
export const testProxy = "127.77.0.1";

/** An agent that listens, with its state in a temporary directory and its port chosen by the kernel. */
export interface RunningAgent {
  pid: number;
  url: string;
  port: number;
  socket: string;
  stateDirectory: string;
  runDirectory: string;
  log: () => string;
  /** Over TCP, or over the unix socket with `local`. */
  call: (method: string, path: string, options?: CallOptions) => Promise<Answer>;
  /** The answer to a GET of local root. Throws unless it is 200. */
  read: (path: string) => Promise<Answer["json"]>;
  /** Makes the first administrator over the socket, signs in and steps up. */
  signedInAdmin: () => Promise<{ id: string; token: string; refreshToken: string }>;
  /** Has it stop as SIGTERM does, and gives its exit code. The directories stay. */
  stop: () => Promise<number | null>;
  /** Stops it where it still runs and removes its directories. */
  dispose: () => Promise<void>;
}

export interface AgentProcess extends RunningAgent {
  process: ChildProcess;
}

export interface CallOptions {
  body?: unknown;
  token?: string | undefined;
  headers?: Record<string, string>;
  local?: boolean;
  /**
   * The address that the request comes from: one of 127.0.0.0/8, which are all here and count as one; or any other,
   * which the tests' proxy then says, to an agent that trusts it.
   */
  from?: string;
}

export interface Answer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
  /** The body as JSON; undefined when it is not. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  json: any;
}

export interface AgentOptions {
  /** State to start on; a new temporary directory when absent. */
  stateDirectory?: string;
  environment?: Record<string, string>;
  arguments?: string[];
  /** Node runs this instead of the built program. */
  program?: string[];
  /** A command to run node under, such as a wrapper with its arguments. */
  prefix?: string[];
}

export const adminName = "root-admin";
export const adminPassword = "green tractor sings loudly";

const program = join(import.meta.dirname, "../../dist/main.js");

/** No agent under test asks a public server for the time. */
export const noServers = join(import.meta.dirname, "../../lab/run/settings.json");

/** Milliseconds after which a request hangs: no machine is as slow, and a file is not held for as long as a run lasts. */
const hangsMilliseconds = 180_000;

/** An agent under test lives in these directories. */
export interface Home {
  directory: string;
  stateDirectory: string;
  runDirectory: string;
  arguments: string[];
}

export async function makeHome(given?: string): Promise<Home> {
  const directory = await mkdtemp(join(tmpdir(), "steward-test-"));
  const stateDirectory = given ?? join(directory, "state");
  const runDirectory = join(directory, "run");
  const places = ["--state", stateDirectory, "--run", runDirectory, "--listen", "127.0.0.1:0"];
  return { directory, stateDirectory, runDirectory, arguments: places };
}

/**
 * Starts the built program and waits until it listens; throws with its log when it ends instead. For what takes a process:
 * signals, kills, a wrapper, another program. All else costs less with `startAgentInProcess`.
 */
export async function startAgentProcess(options: AgentOptions = {}): Promise<AgentProcess> {
  const home = await makeHome(options.stateDirectory);
  const serve = [...(options.program ?? [program]), "serve", ...home.arguments];
  const [command = process.execPath, ...rest] = [...(options.prefix ?? []), process.execPath, ...serve];
  const child = spawn(command, [...rest, ...(options.arguments ?? [])], {
    stdio: ["ignore", "ignore", "pipe"],
    env: { ...process.env, STEWARD_INITIAL_SETTINGS: noServers, ...options.environment },
  });
  let log = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", (code) => resolve(code)));
  const stop = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGTERM");
    return ended;
  };
  const agent = await agentAt(home, { pid: child.pid ?? 0, log: () => log, ended, stop });
  const call = held(agent.call);
  return { ...agent, call, read: readerBy(call), process: child };
}

/** The same, with each answer held against the contract, as an agent in the test's own process holds all of its answers. */
function held(call: RunningAgent["call"]): RunningAgent["call"] {
  return async (method, path, options) => {
    const answer = await call(method, path, options);
    const { checkAnswer } = await import("./answer-rules.ts");
    checkAnswer(method, path, answer);
    return answer;
  };
}

export interface Running extends Pick<RunningAgent, "pid" | "log" | "stop"> {
  ended: Promise<number | null>;
}

/** Waits until an agent listens. Throws with its log when it ends instead. */
export async function agentAt(home: Home, { pid, log, ended, stop }: Running): Promise<RunningAgent> {
  const { stateDirectory, runDirectory } = home;
  const socket = join(runDirectory, "steward.sock");
  const port = await portOf(log, ended);
  const call = (method: string, path: string, callOptions: CallOptions = {}) =>
    send({ port, socket, method, path, ...callOptions });
  return {
    ...{ pid, url: `http://127.0.0.1:${port}`, port, socket, stateDirectory, runDirectory, log, call, stop },
    read: readerBy(call),
    signedInAdmin: async () => {
      const body = { username: adminName, password: adminPassword, role: "admin" };
      const created = await call("POST", "/api/users", { body, local: true });
      if (created.status !== 201) throw new Error(`no administrator: ${created.text}`);
      const { status, json, text } = await call("POST", "/api/auth/login", {
        body: { username: adminName, password: adminPassword },
      });
      if (status !== 200) throw new Error(`no sign-in: ${text}`);
      await stepUp(call, json.access_token, adminPassword);
      return { id: created.json.id, token: json.access_token, refreshToken: json.refresh_token };
    },
    dispose: async () => {
      await stop();
      await rm(home.directory, { recursive: true, force: true });
    },
  };
}

export function readerBy(call: RunningAgent["call"]): RunningAgent["read"] {
  return async (path) => {
    const { status, json, text } = await call("GET", path, { local: true });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return json;
  };
}

type Outcome = Pick<Answer, "status" | "json">;

/** The outcome of an answer: its status, and the code of a refusal, such as `403 forbidden`. */
export async function outcome(answer: Outcome | Promise<Outcome>): Promise<string> {
  const { status, json } = await answer;
  return json?.code === undefined ? String(status) : `${status} ${json.code}`;
}

/** Gives the password again, so that the session may do what takes it. Throws unless it succeeds. */
export async function stepUp(call: RunningAgent["call"], token: string, password: string): Promise<void> {
  const { status, text } = await call("POST", "/api/auth/reauth", { token, body: { password } });
  if (status !== 200) throw new Error(`no step-up: ${text}`);
}

/** The program as the command line, with its exit code and output. */
export async function runSteward(
  args: readonly string[],
  options: { environment?: Record<string, string>; input?: string } = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...options.environment },
  });
  child.stdin.end(options.input ?? "");
  const [stdout, stderr, code] = await Promise.all([
    child.stdout.setEncoding("utf8").toArray(),
    child.stderr.setEncoding("utf8").toArray(),
    new Promise<number | null>((resolve) => child.once("exit", (exit) => resolve(exit))),
  ]);
  return { code, stdout: stdout.join(""), stderr: stderr.join("") };
}

async function portOf(log: () => string, ended: Promise<number | null>): Promise<number> {
  let code: number | null | undefined;
  void ended.then((exit) => {
    code = exit;
  });
  for (let tries = 0; tries < 24_000 && code === undefined; tries += 1) {
    const port = /"http:\/\/127\.0\.0\.1:(\d+)"/.exec(log())?.[1];
    if (port !== undefined) return Number(port);
    await delay(5);
  }
  throw new Error(`the agent did not start (exit ${code}): ${log()}`);
}

type SendOptions = CallOptions & Record<"socket" | "method" | "path", string> & { port: number };

function send(options: SendOptions): Promise<Answer> {
  const { port, socket, method, path, body, token, headers = {}, local, from = "127.0.0.1" } = options;
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const isHere = from.startsWith("127.");
  const localAddress = isHere ? from : testProxy;
  const where = local ? { socketPath: socket } : { host: "127.0.0.1", port, localAddress };
  return new Promise((resolve, reject) => {
    const request = httpRequest({
      ...where,
      method,
      path,
      agent: false,
      signal: AbortSignal.timeout(hangsMilliseconds),
      headers: {
        ...(text !== undefined && {
          "content-type": "application/json",
          "content-length": String(Buffer.byteLength(text)),
        }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(!isHere && !local && { "x-forwarded-for": from }),
        ...headers,
      },
    });
    request.once("error", reject);
    request.once("response", (response) => {
      const answered = async (): Promise<Answer> => {
        const text = (await response.setEncoding("utf8").toArray()).join("");
        const { statusCode: status = 0, headers } = response;
        return { status, headers, text, json: parseOrUndefined(text) };
      };
      answered().then(resolve, reject);
    });
    request.end(text);
  });
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
function parseOrUndefined(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
