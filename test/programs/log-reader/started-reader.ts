import { type ChildProcess, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { atEnd } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { type Owner, temporaryDirectory } from "../../../lab/host/journal.ts";

const built = join(import.meta.dirname, "../../../dist/steward-logs");

export interface StartedReader {
  readonly socket: string;
  readonly hostFile: string;
  /** All that is answered to one line, until the reader closes. */
  ask(line: string): Promise<string>;
}

/** The reader as systemd starts it: with the socket, at the first connection. `place`: another journal's. `program`: another build. */
export async function startReader(
  test: Owner,
  { host, place, program = built }: { host?: string | undefined; place: string; program?: string },
): Promise<StartedReader> {
  const directory = temporaryDirectory(test);
  const hostFile = join(directory, "steward.json");
  if (host !== undefined) writeFileSync(hostFile, host);
  const socket = join(directory, "socket");
  const child = spawn("systemd-socket-activate", [`--listen=${socket}`, program, hostFile, place], {
    stdio: "ignore",
  });
  atEnd(test, () => ended(child));
  // Its socket is there a moment before it listens.
  await until("it answers", async () => (await ask(socket, "\n")).startsWith("refused"));
  return { socket, hostFile, ask: (line) => ask(socket, line) };
}

function ask(path: string, line: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    connect(path)
      .setEncoding("utf8")
      .on("data", (text: string) => {
        answer += text;
      })
      // The reader may have closed before it has read all.
      .once("error", () => undefined)
      .once("close", () => resolve(answer))
      .write(line);
  });
}

async function ended(child: ChildProcess): Promise<void> {
  const exited = new Promise((resolve) => child.once("exit", resolve));
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill("SIGKILL");
  await exited;
}
