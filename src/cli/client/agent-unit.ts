import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { CommandError } from "../../terminal/command-error.ts";
import { type Places, usualSocketPath } from "./places.ts";

const unit = "steward.service";

interface AgentUnit {
  /** Properties of systemctl(1), such as ActiveState. */
  readonly properties: Readonly<Record<string, string | undefined>>;
  /** The last line that the agent has printed; "": none, or this user may not read it. */
  readonly lastLine: () => Promise<string>;
}

/** Null: the agent of these places is no unit of a systemd that answers. */
export type AskAgentUnit = (places: Pick<Places, "socketPath">) => Promise<AgentUnit | null>;

const properties = [
  ...["ActiveState", "SubState", "NRestarts", "MainPID"],
  ...["ActiveExitTimestampMonotonic", "StateChangeTimestampMonotonic"],
];

export const askAgentUnit: AskAgentUnit = async ({ socketPath }) => {
  if (socketPath !== usualSocketPath || !existsSync("/run/systemd/system")) return null;
  const text = await outputOf("systemctl", ["show", `--property=${properties.join(",")}`, unit]);
  if (text === "") return null;
  const found = Object.fromEntries(text.split("\n").map((line) => line.split(/=(.*)/s).slice(0, 2)));
  const newest = ["-n", "20", "-r", "-o", "cat", "--no-pager", `_SYSTEMD_UNIT=${unit}`];
  const lastLine = async () => {
    const lines = (await outputOf("journalctl", newest)).split("\n").map(asPrinted);
    // The launcher's own line says that it waits, and not why.
    return lines.find((line) => line !== "" && !/starts failed in a row/.test(line)) ?? "";
  };
  return { properties: found, lastLine };
};

/** Starts that have failed in a row before a unit counts as one that does not come up: one may be an accident. */
const failedStarts = 2;
/** Microseconds, longer than a start takes: until then, earlier restarts of the unit say nothing of this one. */
const longStart = 30_000_000;

/** Systemd starts it again and again, and it has not listened for a while. */
export function doesNotComeUp({ properties: found }: AgentUnit): boolean {
  const [changed, listened] = ["StateChangeTimestampMonotonic", "ActiveExitTimestampMonotonic"].map((name) =>
    Number(found[name] ?? 0),
  ) as [number, number];
  const isStarting = found.ActiveState === "activating";
  const isLong = listened === 0 || changed - listened > longStart;
  return isStarting && isLong && Number(found.NRestarts) >= failedStarts;
}

/** Exit code 8, as for every agent that does not answer. */
export async function startFailure({ properties: found, lastLine }: AgentUnit): Promise<CommandError> {
  const line = await lastLine();
  const last = line === "" ? "" : ` The last line of its journal: ${line}`;
  return new CommandError(
    8,
    `${unit} does not come up: systemd has started it again ${found.NRestarts} times. \`steward doctor\` says what to do.${last}`,
  );
}

/** A line of the agent's log is JSON; its words are its message and the detail. */
function asPrinted(line: string): string {
  const found = /^\{.*"message":"((?:[^"\\]|\\.)*)"/.exec(line);
  if (found === null) return line.trim();
  const detail = /"detail":"((?:[^"\\]|\\.)*)"/.exec(line)?.[1];
  return [found[1], detail].filter((part) => part !== undefined).join(": ");
}

/** The output of a program within two seconds; "" where it fails. */
function outputOf(program: string, args: readonly string[]): Promise<string> {
  const child = spawn(program, args, { stdio: ["ignore", "pipe", "ignore"], timeout: 2_000 });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    text += part;
  });
  return new Promise((resolve) => {
    child.once("error", () => resolve(""));
    child.once("close", () => resolve(text.trim()));
  });
}
