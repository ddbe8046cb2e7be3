import { isSynchronised } from "../../contract/clock/clock-word.ts";
import { readRfc3339 } from "../../contract/timestamps.ts";
import type { TimeSync } from "../../contract/types.ts";
import { CommandError, OnlyExitCode } from "../../terminal/command-error.ts";
import { requireConsent } from "../../terminal/commands/consent.ts";
import { formatSpan } from "../../terminal/time-figures.ts";
import { type Command, type Invocation, notSynchronised } from "../client/command.ts";
import type { Client } from "../client/context.ts";
import { probeReport, syncSentence, timeReport } from "./time-view.ts";

const status: Command = {
  path: ["time", "status"],
  summary: "Show the state of the clock and list its sources; exit 9 while it is not synchronised",
  worksOffline: true,
  async run({ client, output }) {
    const clock = await client.call("getTimeSync", {});
    await output.report(clock, timeReport(clock));
    if (!isSynchronised(clock)) throw new OnlyExitCode(notSynchronised);
  },
};

const sync: Command = {
  path: ["time", "sync"],
  summary: "Ask the time servers now and correct the clock",
  options: [{ name: "force", summary: "correct it even by more than time.panic_threshold" }],
  worksOffline: true,
  async run(invocation) {
    const { options, client, output } = invocation;
    const before = await client.call("getTimeSync", {});
    await askForPatience(invocation);
    const body = options.has("force") ? { force: true } : {};
    const after = await client.call("syncTime", { body });
    await output.changed(after, syncSentence(before, after));
  },
};

const reselect: Command = {
  path: ["time", "reselect"],
  summary: "Ask all sources, select again and show them; never steps the clock",
  worksOffline: true,
  async run(invocation) {
    await askForPatience(invocation);
    const clock = await invocation.client.call("reselectTimeSources", {});
    await invocation.output.report(clock, timeReport(clock));
  },
};

const probe: Command = {
  path: ["time", "probe"],
  summary: "Try time servers before they are set; exit code 9 if they give no usable time",
  examples: [
    { line: "steward time probe ntp1.example ntp2.example", what: "can these be used?" },
    { line: "steward time probe", what: "the same for the servers that are set" },
    { line: "steward time probe --network", what: "the same for the servers that the network offers" },
  ],
  positionals: [{ name: "SERVER", isOptional: true, isRepeated: true }],
  options: [
    { name: "network", summary: "ask the servers that the network offers (DHCP, through systemd-networkd)" },
  ],
  async run({ positionals, options, client, output }) {
    const offered = options.has("network") ? await offeredServers(client) : [];
    const given = [...new Set([...positionals, ...offered])];
    const named = given.length > 0 ? given : (await client.call("getSettings", {})).time.servers;
    const found = await client.call("probeTimeServers", { body: { servers: [...named] } });
    await output.report(found, probeReport(found));
    if (found.agreeing === 0) throw new OnlyExitCode(notSynchronised);
  },
};

/** Throws CommandError(9) where there are none. */
async function offeredServers(client: Client): Promise<readonly string[]> {
  const { offered } = (await client.call("getTimeSync", {})).servers;
  if (offered.length > 0) return offered;
  throw new CommandError(
    notSynchronised,
    "systemd-networkd has no time servers from the network. Name the servers to ask, or use those that are set.",
  );
}

const set: Command = {
  path: ["time", "set"],
  summary: "Set the clock by hand if no trusted source sets it",
  positionals: [{ name: "TIME" }],
  worksOffline: true,
  async run(invocation) {
    const { positionals, client, output } = invocation;
    const time = timeOf(positionals[0] ?? "");
    const asked = await client.call("getTimeSync", {});
    await requireConsent(
      invocation,
      `Set the clock to ${time.toISOString()}? It shows ${asked.server_time}: ${shift(asked, time)}.`,
    );
    // Time has passed while the user was asked.
    const before = await client.call("getTimeSync", {});
    const after = await client.call("syncTime", { body: { time: time.toISOString() } });
    await output.changed(
      after,
      `The clock showed ${before.server_time} and shows ${after.server_time} now (${shift(before, time)}). ${after.summary.detail}`,
    );
  },
};

const showFloor: Command = {
  path: ["time", "floor", "show"],
  summary: "Show the floor: a time that has certainly passed, below which no clock is believed",
  worksOffline: true,
  async run({ client, output }) {
    const { floor_at } = await client.call("getTimeSync", {});
    await output.value(floor_at, floor_at);
  },
};

const resetFloor: Command = {
  path: ["time", "floor", "reset"],
  summary: "Reset the floor to the build date of this program, and measure again",
  worksOffline: true,
  async run(invocation) {
    const { client, output } = invocation;
    const before = await client.call("getTimeSync", {});
    await requireConsent(
      invocation,
      `Forget that ${before.floor_at} has certainly passed? Times as old as this program will then be believed.`,
    );
    const after = await client.call("resetClockFloor", {});
    await output.changed(after, `The floor was ${before.floor_at} and is ${after.floor_at} now.`);
  },
};

export const timeCommands: readonly Command[] = [status, sync, reselect, probe, set, showFloor, resetFloor];

/** Says to a user at a terminal why nothing happens for some seconds. */
async function askForPatience({ context, output }: Invocation): Promise<void> {
  if (context.stderr.isTTY) await output.remark("Asking the time servers; this takes a few seconds.");
}

/** Throws CommandError(6). */
function timeOf(text: string): Date {
  const time = readRfc3339(text);
  if (time) return time;
  throw new CommandError(
    6,
    `"${text}" is not an RFC 3339 time. Give date, time and offset, such as 2026-11-20T14:03:00Z or 2026-11-20T15:03:00+01:00.`,
  );
}

function shift({ server_time }: TimeSync, time: Date): string {
  const seconds = (time.getTime() - Date.parse(server_time)) / 1_000;
  return `${formatSpan(seconds)} ${seconds < 0 ? "back" : "forward"}`;
}
