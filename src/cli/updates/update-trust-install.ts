import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { StewardError, systemErrorCode } from "../../contract/errors.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { fileFailure } from "../../terminal/failure.ts";
import { fingerprintGroups } from "../../terminal/fingerprint.ts";
import type { Root } from "../../tuf/metadata.ts";
import type { Invocation } from "../client/command.ts";
import type { CommandContext } from "../client/context.ts";
import { requireLocal } from "../client/places.ts";
import { writeRootFile } from "../client/root-file.ts";

/** Everybody may read whose signatures count; only root may write it. */
const rootFileMode = 0o644;

/** As much as the agent reads of one; a larger file is refused unread. */
const maximumBytes = 512_000;

/**
 * Puts a root of trust beside the host file. Directly, never through the agent: a user who could do it there would
 * decide what runs on this device. Throws CommandError: 1, 3, 4, 5 (another one is there), and `update_root_unusable`.
 */
export async function installTrust(invocation: Invocation): Promise<void> {
  const { positionals, options, places, context, output } = invocation;
  requireLocal(places, "update trust install");
  const [source = ""] = positionals;
  const bytes = await readCapped(source);
  if (bytes === null) throw new CommandError(3, `${source} does not exist.`);
  const { fingerprint, root } = await context.readRootOfTrust(bytes);
  const target = updateRootPath(options.text("host-file") ?? places.hostFile);
  const present = await readCapped(target);
  const known = present === null ? null : await fingerprintOf(present, context);
  if (known !== null && known !== fingerprint && !options.has("replace")) throw occupied(target, known);
  if (known !== fingerprint) await writeUpdateRoot(target, bytes);
  const next = "Compare it with what the publisher gave you, then: steward update trust confirm";
  const done = known === fingerprint ? `It is already in ${target}.` : `It is now in ${target}.`;
  const seen = await noticed(invocation, fingerprint);
  await output.changed(
    installed(fingerprint, root),
    `The root of trust has the fingerprint\n\n${fingerprintGroups(fingerprint)}\n${done}${seen} ${next}`,
  );
}

/** The file in which root decides whose updates count. */
export function updateRootPath(hostFile: string): string {
  return join(dirname(resolve(hostFile)), "update-root.json");
}

/** Milliseconds between polls: an agent looks for a new root when its status is read. */
const lookMilliseconds = 250;
const looks = 30;

/** Says in a sentence, for the end of another, if the running agent uses this root; "" if no agent can be asked. */
async function noticed({ client }: Invocation, fingerprint: string): Promise<string> {
  for (let look = 0; look < looks; look += 1) {
    const updates = await client.call("getUpdates", {}).catch(() => null);
    if (updates === null) return "";
    if (updates.trust.fingerprint === fingerprint) return " The agent uses it.";
    await delay(lookMilliseconds);
  }
  return " The running agent does not see it: perhaps it was started with another --host-file, or cannot read it; `steward update trust show` says.";
}

async function fingerprintOf(bytes: Uint8Array, context: CommandContext): Promise<string> {
  try {
    return (await context.readRootOfTrust(bytes)).fingerprint;
  } catch (error) {
    if (error instanceof StewardError) return "unusable";
    throw error;
  }
}

function occupied(target: string, known: string): CommandError {
  const which =
    known === "unusable" ? "one that cannot be used" : `another one, with the fingerprint ${known}`;
  return new CommandError(
    5,
    `${target} holds ${which}. Nothing was changed. If the publisher has started over with new keys, add --replace; after a rotation of keys nothing needs to be installed.`,
  );
}

/** null: there is none. */
async function readCapped(path: string): Promise<Uint8Array | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const bytes = new Uint8Array(maximumBytes + 1);
      const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
      if (bytesRead <= maximumBytes) return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if (systemErrorCode(error) === "ENOENT") return null;
    throw fileFailure(error, path);
  }
  throw new StewardError(
    "update_root_unusable",
    `${path} is larger than ${maximumBytes} bytes: no root of trust is.`,
  );
}

/** Throws CommandError(4) where the user may not, `storage_full`, `storage_unwritable`. */
export async function writeUpdateRoot(path: string, content: Uint8Array): Promise<void> {
  await writeRootFile(path, { content, mode: rootFileMode });
}

/** In the words of the API's `trust`. */
function installed(fingerprint: string, { version, expires, roles }: Root): object {
  return {
    installed: true,
    fingerprint,
    root_version: version,
    root_expires_at: new Date(expires).toISOString(),
    keys: Object.entries(roles).map(([role, { threshold, keyids }]) => ({
      role,
      threshold,
      key_ids: keyids,
    })),
  };
}
