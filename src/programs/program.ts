import { join } from "node:path";
import { isJournalStream } from "../host/linux/systemd/journal-stream.ts";
import { auditJournalSocket, openNativeJournal } from "../host/linux/systemd/native-journal.ts";
import { createJournalLines } from "../journal/logs/journal-lines.ts";
import { createLog, syslogNumbers } from "../journal/logs/log.ts";
import { createOwnLines } from "../journal/logs/own-lines.ts";
import type { Program } from "./agent/config.ts";
import { assetsDirectory, build, clockAddon } from "./build.ts";
import { processUsage } from "./process-usage.ts";

/** As a number: reading process.stderr would open the stream at each start. */
const standardError = 2;

const ownLines = createOwnLines();
const isLogInJournal = isJournalStream(process.env.JOURNAL_STREAM, standardError);
const isSource = import.meta.filename.endsWith(".ts");

const addon = clockAddon(assetsDirectory);
const { STEWARD_JOURNAL_SOCKET: socket, STEWARD_AUDIT_SOCKET: auditSocket = auditJournalSocket } =
  process.env;
const sendToJournal = isLogInJournal
  ? createJournalLines({
      send: openNativeJournal({ addon, socket }).send,
      sendAudit: openNativeJournal({ addon, socket: auditSocket }).send,
      uptime: () => process.uptime(),
    })
  : undefined;
const log = createLog(
  (line, severity, said) => {
    if (!sendToJournal?.(line, severity, said)) {
      // sd-daemon(3): how journald learns the severity; it takes the mark off again.
      process.stderr.write(isLogInJournal ? `<${syslogNumbers[severity]}>${line}` : line);
    }
    ownLines.add(line, severity);
  },
  () => new Date(),
);

export const program: Program = {
  assetsDirectory,
  factsWorker: isSource
    ? join(import.meta.dirname, "../system/facts-worker.ts")
    : join(assetsDirectory, "facts-worker.js"),
  build,
  nodeVersion: process.version,
  node: process.execPath,
  environment: process.env,
  // Asked for when it is needed: the command line becomes another.
  userId: () => process.geteuid?.(),
  log,
  ownLines,
  isLogInJournal,
  processUsage,
  // Node reads the variable anew when it is set.
  adoptTimeZone: (name) => {
    process.env.TZ = name;
  },
};

/** Begins a process of this program, the agent or one command. */
export function begin(): void {
  // In ps, top and the journal; else it would be "node".
  process.title = "steward";
  // All files made from here on belong to this user alone.
  process.umask(0o077);
  // Node would open its debugger, to which every program on the device could then connect.
  process.on("SIGUSR1", () => undefined);
  process.on("uncaughtException", (error) => {
    log("error", "unexpected error: the agent ends", { cause: error.stack ?? error.message });
    process.exit(1);
  });
}
