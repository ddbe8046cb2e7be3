import { cp, readFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { rethrown, StewardError } from "../../contract/errors.ts";
import { makeDirectory, storageError, writeDurably } from "../../store/files/durable-file.ts";
import { madeAt } from "../clock.ts";
import { privateMode } from "../files.ts";
import { heldKeys } from "../keys/owners.ts";
import { type PrivateKey, readKeysAtHand, readPrivateKey } from "../keys/private-keys.ts";
import { locatePayload, verifyPayload } from "../payload-store.ts";
import { readPublished } from "../published.ts";
import { releasesIn } from "../release-entry.ts";
import { type RoleFiles, type RoleName, releaseRoles, roleNames, usualPeriods } from "../roles.ts";
import { verifyAsClients } from "../verify.ts";
import { openWorkspace, placesIn, type Surroundings, unsaidProduct, writeConfig } from "../workspace.ts";
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

export type Remade = Awaited<ReturnType<typeof remakeRepository>>;

/**
 * The next versions are higher than those of the copy by so much: devices may know later ones, of an exported archive or of
 * a publish after the copy was made, and never go back. More than two years of renewals, one a night.
 */
export const skippedVersions = 1_000;

/**
 * Makes a repository again from what was uploaded and its keys, after all of it was verified as devices do: signatures,
 * versions, and the bytes of payloads; only metadata that have expired are taken. Completely or not at all. Throws
 * `not_found`, `repository_conflict`, and the errors that devices would have.
 */
export async function remakeRepository(
  directory: string,
  request: RemakeRequest,
  surroundings: Surroundings,
) {
  const { from } = request;
  const published = await readCopy(from);
  const atHand = request.keys === undefined ? [] : await keysIn(request.keys, surroundings);
  const config = configOf(request, published);
  return makeWhole(directory, async (made) => {
    const places = placesIn(made);
    await cp(from, places.public, { recursive: true, filter: (path) => basename(path) !== ".git" }).catch(
      rethrown((error) => storageError(directory, error)),
    );
    await makeDirectory(places.keys);
    for (const { file } of atHand)
      await writeDurably(join(places.keys, basename(file)), await readFile(file), privateMode);
    await writeConfig({ directory: made, ...config });
    const files = atHand.map(({ id, file }) => [id, join(directory, "keys", basename(file))] as const);
    const keys = await heldKeys(await openWorkspace(made, surroundings), new Map(files));
    return { product: config.product, published, keys };
  });
}

/** Reads the copy as a device that knows only the first root, at a time before every expiry, and each payload. */
async function readCopy(from: string): Promise<RoleFiles> {
  const [metadata, targets] = [join(from, "metadata"), join(from, "targets")];
  const place = { directory: from, metadata, targets, payloads: targets, now: () => new Date(0) };
  const published = await readPublished(metadata);
  if (published.timestamp === null)
    throw new StewardError(
      "not_found",
      `${from} has no metadata/timestamp.json. Give the directory that was uploaded, such as ${join(from, "public")}. Nothing was made.`,
    );
  const refusal = `Nothing was made, because devices would refuse ${from}`;
  await verifyAsClients(place, new Map(), { published, next: published, drafted: [], refusal });
  for (const role of ["targets", ...releaseRoles] as const)
    for (const [path, file] of Object.entries(published[role]?.signed.targets ?? {}))
      await verifyPayload(await locatePayload(place, path, file), file);
  return published;
}

/** A key with a passphrase is asked for it, so that both are known to fit. */
async function keysIn(directory: string, surroundings: Surroundings): Promise<readonly PrivateKey[]> {
  const { keys, sealed } = await readKeysAtHand(directory);
  const all = [...keys];
  for (const file of sealed) all.push(await readPrivateKey(file, surroundings.askPassphrase));
  if (all.length > 0) return all;
  throw new StewardError("not_found", `${directory} has no private keys (*.pem). Nothing was made.`);
}

function configOf({ product, periods }: RemakeRequest, published: RoleFiles) {
  const releases = releaseRoles.flatMap((role) => releasesIn(published[role]?.signed.targets));
  const [only, ...others] = new Set(releases.map(({ entry }) => entry.product));
  const known = { ...usualPeriods };
  const exported: Partial<Record<RoleName, number>> = {};
  for (const role of roleNames) {
    const signed = published[role]?.signed;
    if (signed === undefined) continue;
    const seconds = (Date.parse(signed.expires) - madeAt({ signed })) / 1_000;
    if (seconds > 0) known[role] = seconds;
    // TUF §5.3.5: roots are numbered without gaps.
    if (role !== "root") exported[role] = signed.version + skippedVersions;
  }
  const productOfAll = others.length === 0 ? only : undefined;
  return {
    product: product ?? productOfAll ?? unsaidProduct,
    periods: { ...known, ...periods },
    exported,
    owners: {},
  };
}
