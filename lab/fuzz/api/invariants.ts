import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Answer } from "../../agents/running-agent.ts";
import type { Ledger } from "../ledger.ts";
import type { Send } from "./client.ts";

/** Users, tokens and settings as root sees them, without what a refused request may change: locks, times of use. */
export interface Snapshot {
  readonly text: string;
  readonly users: readonly Answer["json"][];
}

const volatile = [
  "locked",
  "last_login_at",
  "last_used_at",
  "last_used_from",
  "recovery_codes_remaining",
  "is_expired",
];

export async function takeSnapshot(send: Send): Promise<Snapshot> {
  const [users, tokens, settings, host] = await Promise.all(
    ["/api/users?limit=200", "/api/tokens?limit=200", "/api/system", "/api/system/host"].map(
      async (path) => (await send({ method: "GET", path, isLocal: true })).json,
    ),
  );
  const lasting = { users: users.items, tokens: tokens.items, settings, host };
  const text = JSON.stringify(lasting, (name, value) => (volatile.includes(name) ? undefined : value));
  return { text, users: users.items };
}

/** There is always someone who can sign in and administer. */
export function judgeAdministrators({ users }: Snapshot, ledger: Ledger): void {
  if (!users.some(({ role, enabled }) => role === "admin" && enabled))
    ledger.find("there is no administrator who may sign in");
}

/** The place where two texts part. */
export function difference(one: string, other: string): string {
  const at = [...one].findIndex((letter, index) => letter !== other[index]);
  return `…${one.slice(Math.max(0, at - 60), at + 60)}… became …${other.slice(Math.max(0, at - 60), at + 60)}…`;
}

/** Reports each file of the state directory, and the log, that has a password, token or code. */
export function judgeSecrets(
  secrets: readonly string[],
  { stateDirectory, log }: { stateDirectory: string; log: string },
  ledger: Ledger,
): void {
  const files = readdirSync(stateDirectory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== ".reserve")
    .map(({ parentPath, name }) => join(parentPath, name));
  const texts = [
    ...files.map((path) => [path, readFileSync(path, "latin1")] as const),
    ["the log", log] as const,
  ];
  for (const [where, text] of texts) {
    const leaked = secrets.filter((secret) => text.includes(secret));
    if (leaked.length > 0) ledger.find(`${where} has ${leaked.length} secrets`);
  }
}

/** MiB that a process took at most; 0 where it has ended. */
export function peakMiBOf(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) / 1_024;
  } catch {
    return 0;
  }
}
