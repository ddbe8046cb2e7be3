/** Severities of syslog (RFC 5424 §6.2.1) that the agent uses. */
export type Severity = "error" | "warning" | "notice" | "info";

/** Writes one JSON line; members are facts for whoever reads it later, never a secret. */
export type Log = (severity: Severity, message: string, members?: Readonly<Record<string, unknown>>) => void;

export function createLog(write: (line: string) => void, now: () => Date): Log {
  return (severity, message, members = {}) => {
    write(`${JSON.stringify({ time: now().toISOString(), severity, message, ...members })}\n`);
  };
}
