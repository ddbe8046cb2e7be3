import { cp, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { rethrown, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { readSignedPayload } from "../../releases/signed-payload.ts";
import { makeDirectory, storageError, writeDurably } from "../../store/files/durable-file.ts";
import { madeAt } from "../clock.ts";
import { privateMode, unreadable } from "../files.ts";
import { type HeldKey, heldKeys } from "../keys/owners.ts";
import { type PrivateKey, readKeysAtHand, readPrivateKey } from "../keys/private-keys.ts";
import { keysIn } from "../keys/role-keys.ts";
import { payloadDifference } from "../payload-store.ts";
import { readPublished } from "../published.ts";
import { hashedPath, releasesIn } from "../release-entry.ts";
import { type Held, type RoleName, releaseRoles, roleNames, usualPeriods } from "../roles.ts";
import { verifyAsClients } from "../verify.ts";
import {
  openWorkspace,
  placesIn,
  type Surroundings,
  unsaidProduct,
  type Workspace,
  writeConfig,
} from "../workspace.ts";
import { makeWhole } from "./init.ts";

export interface RemakeRequest {
  /** The directory that was uploaded, which has metadata/ and targets/. */
  readonly from: string;
  /** A directory of private keys to copy; undefined: they stay where they are. */
  readonly keys: string | undefined;
  /** undefined: that of the releases. */
  readonly product: string | undefined;
  /** Seconds from signing to expiry; where one is not given, that of the metadata. */
  readonly periods: Readonly<Partial<Record<RoleName, number>>>;
}

export interface Remade {
  readonly directory: string;
  readonly product: string;
  readonly published: readonly { role: RoleName; version: number; expires: string }[];
  /** Payloads that were read and have their signed bytes. */
  readonly payloads: number;
  readonly keys: readonly HeldKey[];
  /** Files of private keys that count for no role, and were not copied. */
  readonly strangers: readonly string[];
}

/**
 * The next versions are higher than those of the copy by so much: devices may know later ones, of an exported archive or of
 * a publish after the copy was made, and never go back. More than two years of renewals, one a night.
 */
export const skippedVersions = 1_000;

/**
 * Makes a repository again of what was uploaded and of its keys, after all of it was verified as devices do: signatures,
 * versions, and the bytes of payloads; only metadata that have expired are taken. Completely or not at all. Throws
 * `not_found`, `repository_conflict`, and the errors that devices would have.
 */
export async function remakeRepository(
  directory: string,
  request: RemakeRequest,
  surroundings: Surroundings,
): Promise<Remade> {
  const { from } = request;
  const { published, payloads } = await readCopy(from);
  const { mine, strangers } = await keysOf(request, published, surroundings);
  return makeWhole(directory, async (made) => {
    const places = placesIn(made);
    await cp(from, places.public, { recursive: true, filter: (path) => basename(path) !== ".git" }).catch(
      rethrown((error) => storageError(directory, error)),
    );
    await makeDirectory(places.keys);
    for (const { file } of mine)
      await writeDurably(join(places.keys, basename(file)), await readFile(file), privateMode);
    const config = configOf(request, published);
    await writeConfig({ directory: made, ...config });
    const files = mine.map(({ id, file }) => [id, join(directory, "keys", basename(file))] as const);
    return {
      directory,
      product: config.product,
      published: roleNames.flatMap((role) => {
        const signed = published[role]?.signed;
        return signed ? [{ role, version: signed.version, expires: signed.expires }] : [];
      }),
      payloads,
      keys: await heldKeys(await openWorkspace(made, surroundings), new Map(files)),
      strangers: strangers.map(({ file }) => file),
    };
  });
}

/** Reads the copy as a device that knows only the first root, at a time before every expiry, and each payload. */
async function readCopy(from: string): Promise<{ published: Held; payloads: number }> {
  const [metadata, targets] = [join(from, "metadata"), join(from, "targets")];
  const published = await readPublished(metadata);
  if (published.timestamp === null)
    throw new StewardError(
      "not_found",
      `${from} has no metadata/timestamp.json. Give the directory that was uploaded, such as ${join(from, "public")}. Nothing was made.`,
    );
  const place = { directory: from, metadata, now: () => new Date(0) };
  const refusal = `Nothing was made, because devices would refuse ${from}`;
  await verifyAsClients(place, new Map(), { published, next: published, drafted: [], refusal });
  const files = (["targets", ...releaseRoles] as const).flatMap((role) =>
    Object.entries(published[role]?.signed.targets ?? {}),
  );
  const faults: string[] = [];
  for (const [path, file] of files) {
    const place = join(targets, hashedPath(path, readSignedPayload(file).nameHash));
    const fault = await payloadDifference(place, file).catch((error: unknown) => {
      if (systemErrorCode(error) === "ENOENT") return "missing";
      throw unreadable(place, error);
    });
    if (fault !== null) faults.push(`${place} ${fault === "missing" ? "is missing" : "has other bytes"}`);
  }
  if (faults.length === 0) return { published, payloads: files.length };
  throw new StewardError(
    "update_payload_mismatch",
    `Nothing was made, because payloads are not there as they were signed: ${faults.join("; ")}. Copy them again from the server.`,
  );
}

/** The keys to copy, and those that count for no role. A key with a passphrase is asked for it, so that both are known to fit. */
async function keysOf(
  { keys: directory }: RemakeRequest,
  published: Held,
  { askPassphrase }: Surroundings,
): Promise<{ mine: readonly PrivateKey[]; strangers: readonly PrivateKey[] }> {
  if (directory === undefined) return { mine: [], strangers: [] };
  const { keys, sealed } = await readKeysAtHand(directory);
  const all = [...keys];
  for (const file of sealed) all.push(await readPrivateKey(file, askPassphrase));
  if (all.length === 0)
    throw new StewardError("not_found", `${directory} has no private keys (*.pem). Nothing was made.`);
  const known = new Set(roleNames.flatMap((role) => keysIn(published, role).keyids));
  return { mine: all.filter(({ id }) => known.has(id)), strangers: all.filter(({ id }) => !known.has(id)) };
}

function configOf({ product, periods }: RemakeRequest, published: Held) {
  const releases = releaseRoles.flatMap((role) => releasesIn(published[role]?.signed.targets));
  const [only, ...others] = new Set(releases.map(({ entry }) => entry.product));
  const lasting = roleNames.map((role) => [
    role,
    periods[role] ?? periodOf(published[role]) ?? usualPeriods[role],
  ]);
  const passed = roleNames.flatMap((role) => {
    const version = published[role]?.signed.version;
    // TUF §5.3.5: roots are numbered without gaps.
    return role === "root" || version === undefined ? [] : [[role, version + skippedVersions]];
  });
  return {
    product: product ?? (others.length === 0 ? only : undefined) ?? unsaidProduct,
    periods: Object.fromEntries(lasting) as Workspace["periods"],
    exported: Object.fromEntries(passed) as Workspace["exported"],
    owners: {},
  };
}

/** Seconds from signing to expiry; undefined: the file does not say when it was made. */
function periodOf(file: Held[RoleName]): number | undefined {
  const seconds = file === null ? Number.NaN : (Date.parse(file.signed.expires) - madeAt(file)) / 1_000;
  return seconds > 0 ? seconds : undefined;
}
