import { setTimeout as delay } from "node:timers/promises";
import type { Channel } from "./channel.ts";
import { createGuestClock } from "./clock.ts";
import { runCommand } from "./command.ts";
import type { Expected, Guest, HttpAnswer, HttpOptions } from "./vocabulary.ts";

/** The number of the boot, and the factor by which it took longer than on a quiet machine: everything gets so much longer. */
export interface Circumstances {
  readonly boot: number;
  /** At least 1. */
  readonly slowness: number;
}

/** The vocabulary of a guest part, said over `channel`. */
export function createGuest({ boot, slowness }: Circumstances, channel: Channel): Guest {
  const { send } = channel;
  const run: Guest["run"] = (command, args, { timeoutSeconds = 60, ...options } = {}) =>
    runCommand(command, args, { ...options, timeoutSeconds: Math.ceil(timeoutSeconds * slowness) });
  const http: Guest["http"] = (path, options) => request(path, options, 30 * slowness);
  const until: Guest["until"] = (what, seconds, look) => waitUntil(what, seconds * slowness, look);
  const stewardAnswers: Guest["stewardAnswers"] = (seconds = 60) =>
    until("the agent answers", seconds, () => http("/api/health"));
  const check: Guest["check"] = (name, passed, detail) =>
    send({ kind: "check", name, passed, detail: asText(detail) });
  return {
    boot,
    clock: createGuestClock(),
    run,
    ...typing({ run, check, until }),
    restarts: async () => {
      await run("systemctl", ["restart", "steward.service"]);
      await stewardAnswers();
    },
    steward: (...args) => run("/usr/bin/steward", args),
    property: async (name, unit = "steward.service") => {
      const { stdout } = await run("systemctl", ["show", "--value", `--property=${name}`, unit]);
      return stdout.trim();
    },
    api: async (path, body) => {
      const json = ["--header", "Content-Type: application/json", "--data", JSON.stringify(body)];
      const socket = ["--silent", "--unix-socket", "/run/steward/steward.sock"];
      const posted = body === undefined ? [] : json;
      const { stdout } = await run("curl", [...socket, ...posted, `http://localhost${path}`]);
      if (stdout === "") throw new Error(`the agent did not answer ${path} on its socket`);
      return JSON.parse(stdout);
    },
    http,
    until,
    stewardAnswers,
    check,
    figure: (name, number, unit) => {
      const value = Number.isInteger(number) ? number : Number(number.toPrecision(3));
      send({ kind: "figure", name, value, unit });
    },
    mark: (name) => send({ kind: "mark", name }),
    note: (text) => send({ kind: "note", text }),
    ask: (name, value) => channel.ask({ kind: "ask", name, value }),
    pause: (seconds) => delay(seconds * 1_000),
  };
}

function typing({ run, check, until }: Pick<Guest, "run" | "check" | "until">) {
  const typed = async (line: string, { status = 0, says = [], what: _, ...options }: Expected = {}) => {
    const ran = await run("sh", ["-c", line], options);
    const printed = ran.stdout + ran.stderr;
    const isEnd = status === "fails" ? ran.status !== 0 : ran.status === status;
    const isSaid = (one: string | RegExp) =>
      typeof one === "string" ? printed.includes(one) : one.test(printed);
    return { isSo: isEnd && [says].flat().every(isSaid), printed, ran };
  };
  const types: Guest["types"] = async (line, expected) => {
    const { isSo, printed, ran } = await typed(line, expected);
    check(expected?.what ?? line, isSo, { line, ...ran });
    return printed;
  };
  const becomes: Guest["becomes"] = async (line, seconds, expected) => {
    const last = await until(expected?.what ?? line, seconds, async () => {
      const once = await typed(line, expected);
      if (!once.isSo) throw new Error(asText(once.ran));
      return once;
    });
    return last.printed;
  };
  return { types, becomes };
}

async function request(path: string, { body, token, method }: HttpOptions = {}, timeoutSeconds: number) {
  const isPosted = body !== undefined;
  const response = await fetch(`http://127.0.0.1:8470${path}`, {
    method: method ?? (isPosted ? "POST" : "GET"),
    headers: {
      ...(isPosted && { "content-type": "application/json" }),
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
    },
    ...(isPosted && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(Math.ceil(timeoutSeconds * 1_000)),
  });
  const text = await response.text();
  const isJson = /json/.test(response.headers.get("content-type") ?? "");
  const { status, headers } = response;
  return { status, headers, body: isJson ? JSON.parse(text) : text } satisfies HttpAnswer;
}

async function waitUntil<T>(
  what: string,
  seconds: number,
  look: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  // performance counts monotonically: the clock is what these scenarios move.
  const end = performance.now() + seconds * 1_000;
  let last: unknown = "it never was so";
  while (performance.now() < end) {
    try {
      const found = await look();
      if (found !== undefined && found !== false) return found;
    } catch (error) {
      last = error;
    }
    await delay(200);
  }
  throw new Error(`not within ${seconds.toFixed(0)} s: ${what} (${asText(last)})`);
}

/** For people to read; what has no text of its own becomes JSON. */
export function asText(value: unknown): string {
  if (value === undefined) return "";
  if (value instanceof Error) return value.stack ?? value.message;
  return typeof value === "string" ? value : JSON.stringify(value);
}
