import { writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Fields, makeJournal, type Owner, temporaryDirectory, writeCommand } from "../host/journal.ts";
import { type AgentProcess, startAgentProcess } from "./running-agent.ts";

/** Starts the built agent where the real journalctl reads a journal with these entries, and the host file names the units. */
export function startAgentWithJournal(
  owner: Owner,
  entries: readonly Fields[],
  logUnits: readonly string[],
): Promise<AgentProcess> {
  const hostFile = join(temporaryDirectory(owner), "steward.json");
  writeFileSync(hostFile, JSON.stringify({ log_units: logUnits }));
  const script = `exec /usr/bin/journalctl '${makeJournal(owner, entries)}' "$@"`;
  const command = writeCommand(owner, "journalctl", script);
  return startAgentProcess({
    arguments: ["--host-file", hostFile],
    environment: { PATH: `${dirname(command)}:${process.env.PATH}` },
  });
}
