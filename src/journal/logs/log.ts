/** Severities of syslog (RFC 5424 §6.2.1) that the agent uses. */
export type Severity = "error" | "warning" | "notice" | "info";

export const syslogNumbers = { error: 3, warning: 4, notice: 5, info: 6 } as const satisfies Record<
  Severity,
  number
>;

/** Writes one JSON line; members are facts for later readers, never a secret. */
export type Log = (severity: Severity, message: string, members?: Readonly<Record<string, unknown>>) => void;

/** Characters of a line. journald breaks longer ones (LineMax, 48 KiB), and the second half would lose its mark. */
const longestLine = 12_000;

export interface LoggedText {
  readonly message: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** `write` gets each line with its line feed. */
export function createLog(
  write: (line: string, severity: Severity, said: LoggedText) => void,
  now: () => Date,
): Log {
  return (severity, message, members = {}) => {
    const head = { time: now().toISOString(), severity, message };
    const line = JSON.stringify({ ...head, ...members });
    write(`${line.length <= longestLine ? line : cut(head, members)}\n`, severity, { message, members });
  };
}

/** For repeated attempts: leaves out a line that equals the last one. */
export function withoutRepeats(log: Log): Log {
  let last = "";
  return (severity, message, members) => {
    const line = JSON.stringify([severity, message, members]);
    if (line !== last) log(severity, message, members);
    last = line;
  };
}

/** The line without the facts that made it too long; the marks of its readers stay. */
function cut(
  { message, ...head }: { time: string; severity: Severity; message: string },
  { audit }: Readonly<Record<string, unknown>>,
): string {
  return JSON.stringify({
    ...head,
    message: message.slice(0, 1_000).toWellFormed(),
    ...(audit === true && { audit }),
    cut: true,
  });
}
