import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { verifyEd25519 } from "../../tuf/ed25519.ts";
import { type RoleName, roleIn, roleNames } from "../roles.ts";
import type { State } from "../state.ts";
import type { SigningKey } from "./private-keys.ts";
import type { NamedKey } from "./public-keys.ts";
import { signatureIn } from "./signing.ts";

/** Seconds that a command has: a person may have to touch a token, or type its PIN. */
const limitSeconds = 120;

/** Bytes that are read of its output: a signature in Base64 has 88. */
const mostBytes = 4_096;

/**
 * The keys of the repository, as far as a command can sign with them. It is run with `sh -c` once for each draft, with the
 * bytes on standard input and the role in STEWARD_ROLE, and writes a signature of any of these keys, or nothing where it
 * does not sign. What it writes is verified before it is used.
 */
export function externalKeys(command: string, state: State, seconds = limitSeconds): readonly SigningKey[] {
  const keys = keysOf(state);
  const made = new Map<string, Uint8Array | null>();
  const once = (message: Uint8Array, role: RoleName): Uint8Array | null => {
    const id = Buffer.from(message).toString("latin1");
    const signature = made.has(id) ? (made.get(id) ?? null) : signatureOf(command, message, role, seconds);
    if (signature !== null && !keys.some((key) => isOf(key, message, signature)))
      throw foreign(command, role);
    made.set(id, signature);
    return signature;
  };
  return keys.map((key) => ({
    ...key,
    file: `--signer ${command}`,
    isExternal: true,
    sign: (message, role) => {
      const signature = once(message, role);
      return signature !== null && isOf(key, message, signature) ? signature : null;
    },
  }));
}

/** Each key that counts for a role, now or once the drafts are published. */
function keysOf({ published, next }: State): readonly NamedKey[] {
  const found = new Map<string, NamedKey>();
  for (const { signed } of [published.root, published.targets, next.root, next.targets].flatMap(
    (file) => file ?? [],
  ))
    for (const { keyids, keys } of roleNames.flatMap((role) => roleIn(signed, role) ?? []))
      for (const id of keyids) {
        const key = keys[id];
        if (key) found.set(id, { id, key });
      }
  return [...found.values()];
}

function isOf({ key }: NamedKey, message: Uint8Array, signature: Uint8Array): boolean {
  return verifyEd25519(Buffer.from(key.keyval.public, "hex"), message, signature);
}

/** null: the command writes nothing. */
function signatureOf(
  command: string,
  message: Uint8Array,
  role: RoleName,
  seconds: number,
): Uint8Array | null {
  const ended = spawnSync("env", [`STEWARD_ROLE=${role}`, "sh", "-c", command], {
    input: message,
    timeout: seconds * 1_000,
    killSignal: "SIGKILL",
    maxBuffer: mostBytes,
    // It may ask for a PIN, and say what is wrong.
    stdio: ["pipe", "pipe", "inherit"],
  });
  const { stdout } = ended;
  const why = failureOf(ended, seconds);
  if (why !== null) throw failed(command, role, why);
  if (stdout.length === 0) return null;
  const signature = signatureIn(stdout);
  if (signature === null)
    throw failed(
      command,
      role,
      `wrote ${stdout.length} bytes that are not a signature (64 bytes, their hex digits or Base64)`,
    );
  return signature;
}

/** null: it ended well. */
function failureOf({ error, status, signal }: SpawnSyncReturns<Buffer>, seconds: number): string | null {
  const code = systemErrorCode(error);
  if (code === "ETIMEDOUT") return `did not end within ${seconds} s`;
  if (code === "ENOBUFS") return `wrote more than ${mostBytes} bytes`;
  if (status === 0) return null;
  return signal === null ? `ended with exit code ${status ?? String(code)}` : `was ended by ${signal}`;
}

function failed(command: string, role: RoleName, why: string): StewardError {
  return new StewardError(
    "validation_failed",
    `The command of --signer, for the draft of ${role}, ${why}. Nothing was signed with it: ${command}`,
  );
}

function foreign(command: string, role: RoleName): StewardError {
  return new StewardError(
    "update_signature_invalid",
    `The command of --signer wrote a signature that no key of this repository has made over the draft of ${role}. It signs the bytes on its standard input as they are (Ed25519, not Ed25519ph, no hash before): ${command}`,
  );
}
