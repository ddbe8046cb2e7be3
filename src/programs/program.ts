import type { Argon2Cost } from "../accounts/users/argon2.ts";
import {
  auditJournalSocket,
  isJournalStream,
  openNativeJournal,
} from "../host/linux/systemd/native-journal.ts";
import type { ServiceManager } from "../host/linux/systemd/service-manager.ts";
import { createJournalLines } from "../journal/logs/journal-lines.ts";
import { createLog, type Log, syslogNumbers } from "../journal/logs/log.ts";
import { createOwnLines, type OwnLines } from "../journal/logs/own-lines.ts";
import type { Build } from "../system/version.ts";
import { assetsDirectory, build, clockAddon } from "./build.ts";
import { type ProcessUsage, processUsage } from "./process-usage.ts";

/** The parts of this program and process that the agent's rooms use. */
export interface ProgramParts {
  /** The directory beside the program with common-passwords.txt and the console. */
  readonly assetsDirectory: string;
  readonly build: Build;
  readonly nodeVersion: string;
  readonly log: Log;
  readonly ownLines: OwnLines;
  /** `log` writes to the journal, so its lines need not be kept here as well. */
  readonly isLogInJournal: boolean;
  readonly processUsage: () => ProcessUsage;
  /** Switches this process to another time zone. */
  readonly adoptTimeZone: (name: string) => void;
  /** The cost of new hashes. Only a test gives it: no argument, variable or file reaches it. */
  readonly passwordCost?: Argon2Cost | undefined;
}

export interface Program extends ProgramParts {
  /** Absolute path of the runtime. */
  readonly node: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly userId: () => number | undefined;
  /** Hears that the agent is ready, and that it stops. */
  readonly serviceManager?: ServiceManager;
  /** Calls `reload` whenever the host file is to be read again. */
  readonly onReload?: (reload: () => void) => void;
}

/** A number, because reading process.stderr would open the stream at each start. */
const standardError = 2;

const ownLines = createOwnLines();
const isLogInJournal = isJournalStream(process.env.JOURNAL_STREAM, standardError);

const addon = clockAddon(assetsDirectory);
const { STEWARD_JOURNAL_SOCKET: socket, STEWARD_AUDIT_SOCKET: auditSocket = auditJournalSocket } =
  process.env;
const sendToJournal = isLogInJournal
  ? createJournalLines(openNativeJournal(addon, socket), openNativeJournal(addon, auditSocket), () =>
      process.uptime(),
    )
  : undefined;
const log = createLog(
  (line, severity, said) => {
    if (!sendToJournal?.(line, severity, said)) {
      // sd-daemon(3): the mark gives journald the severity, and journald removes it.
      process.stderr.write(isLogInJournal ? `<${syslogNumbers[severity]}>${line}` : line);
    }
    ownLines.add(line, severity);
  },
  () => new Date(),
);

export const program: Program = {
  assetsDirectory,
  build,
  nodeVersion: process.version,
  node: process.execPath,
  environment: process.env,
  // Read at each call, because the command line becomes another user.
  userId: () => process.geteuid?.(),
  log,
  ownLines,
  isLogInJournal,
  processUsage,
  // Node reads the variable again when it is set.
  adoptTimeZone: (name) => {
    process.env.TZ = name;
  },
};

export function begin(): void {
  // The name in ps, top and the journal; otherwise it would be "node".
  process.title = "steward";
  // All files made from here on belong only to this user.
  process.umask(0o077);
  // Node would open its debugger, to which every program on the device could then connect.
  process.on("SIGUSR1", () => undefined);
  process.on("uncaughtException", (error) => {
    log("error", "unexpected error: the agent ends", { cause: error.stack ?? error.message });
    process.exit(1);
  });
}
