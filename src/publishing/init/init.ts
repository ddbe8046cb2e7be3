import { chmod, mkdir, mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { rethrown, StewardError, systemErrorCode } from "../../contract/errors.ts";
import { storageError, syncDirectory, writeDurably } from "../../store/files/durable-file.ts";
import type { Key, Role, Root, SignedTypes, Targets } from "../../tuf/metadata.ts";
import { makePublicDirectory, privateMode } from "../files.ts";
import { keyFileName, makePrivateKey, readKeysAtHand } from "../keys/private-keys.ts";
import type { NamedKey } from "../keys/public-keys.ts";
import { signWith } from "../keys/signing.ts";
import { requireName } from "../release-entry.ts";
import {
  noRoleFiles,
  type ReleaseRole,
  type RoleName,
  releaseRoles,
  roleNames,
  usualPeriods,
} from "../roles.ts";
import { draftOf, type State, stateOf, withDraft, writeDraft } from "../state.ts";
import {
  configName,
  openWorkspace,
  placesIn,
  type Surroundings,
  type Workspace,
  writeConfig,
} from "../workspace.ts";

export interface InitRequest {
  readonly product: string;
  /** Keys whose private halves are elsewhere. No other keys are made for their roles. */
  readonly publicKeys: Readonly<Partial<Record<RoleName, readonly NamedKey[]>>>;
  readonly thresholds: Readonly<Partial<Record<RoleName, number>>>;
  readonly periods: Readonly<Partial<Record<RoleName, number>>>;
}

/** The version of the TUF specification in the metadata. */
export const specVersion = "1.0.34";

/**
 * Makes a repository with its keys and its first drafts, completely or not at all. Throws `repository_conflict` if the
 * directory is in use, `validation_failed`.
 */
export async function initRepository(
  directory: string,
  request: InitRequest,
  surroundings: Surroundings,
): Promise<State> {
  requireName("product", request.product);
  return makeWhole(directory, async (made) => {
    const keys = await makeKeys(made, request);
    return fill(made, request, keys, surroundings);
  });
}

/** Does `work` in a new directory that gets its name at the end, or is removed. Throws `repository_conflict`. */
export async function makeWhole<T>(directory: string, work: (made: string) => Promise<T>): Promise<T> {
  const target = resolve(directory);
  await requireEmpty(target, directory);
  const made = await mkdtemp(join(dirname(target), `.${basename(target)}.`)).catch((error: unknown) => {
    if (systemErrorCode(error) !== "ENOENT") throw storageError(target, error);
    throw new StewardError("not_found", `The directory ${dirname(target)} does not exist. Create it first.`);
  });
  try {
    const result = await work(made);
    // Web servers and agents must reach public/ through it; keys and drafts have modes of their own.
    await chmod(made, 0o755);
    await rename(made, target).catch(rethrown((error) => storageError(target, error)));
    await syncDirectory(dirname(target));
    return result;
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    throw error;
  }
}

async function requireEmpty(path: string, shown: string): Promise<void> {
  const names = await readdir(path).catch((error: unknown): string[] => {
    if (systemErrorCode(error) === "ENOENT") return [];
    throw new StewardError("repository_conflict", `${shown} is not a directory.`, { cause: error });
  });
  if (names.length === 0) return;
  if (names.includes("public") && !names.includes(configName))
    throw new StewardError(
      "repository_conflict",
      `${shown} holds what was published, and no device would trust new keys for it. Nothing was changed. To make the repository again: mv ${shown} ${shown}.old && steward-publisher init ${shown} --from ${shown}.old/public --keys ${shown}.old/keys`,
    );
  const what = names.includes(configName) ? "holds a repository already" : "is not empty";
  throw new StewardError(
    "repository_conflict",
    `${shown} ${what}. Nothing was changed. Give the name of a new directory.`,
  );
}

type KeysOfRoles = Readonly<Record<RoleName, readonly NamedKey[]>>;

async function makeKeys(directory: string, { publicKeys, thresholds }: InitRequest): Promise<KeysOfRoles> {
  const places = placesIn(directory);
  await mkdir(places.keys, { mode: 0o700 });
  const made = new Map<RoleName, readonly NamedKey[]>();
  for (const role of roleNames) {
    const threshold = thresholds[role] ?? 1;
    const given = [...new Map((publicKeys[role] ?? []).map((key) => [key.id, key])).values()];
    requireThreshold(role, threshold, given);
    if (given.length > 0) {
      made.set(role, given);
      continue;
    }
    const keys = Array.from({ length: threshold }, makePrivateKey);
    for (const [index, { pem }] of keys.entries())
      await writeDurably(join(places.keys, keyFileName(role, index, keys.length)), pem, privateMode);
    made.set(role, keys);
  }
  const all = Object.fromEntries(made) as KeysOfRoles;
  requireApart(all.rules, all.binary);
  return all;
}

function requireThreshold(role: RoleName, threshold: number, given: readonly NamedKey[]): void {
  if (given.length > 0 && threshold > given.length) {
    throw new StewardError(
      "validation_failed",
      `The threshold of ${role} is ${threshold}, and ${given.length} public ${given.length === 1 ? "key is" : "keys are"} given, so the role could never be signed. Give more keys, or a lower threshold.`,
    );
  }
}

/** Throws `validation_failed` if one key could sign for both kinds. */
export function requireApart(rules: readonly { id: string }[], binary: readonly { id: string }[]): void {
  const shared = rules.find(({ id }) => binary.some((other) => other.id === id));
  if (shared === undefined) return;
  throw new StewardError(
    "validation_failed",
    `The key ${shared.id.slice(0, 16)} is given for rules and for binary. Give each kind its own keys, so that a stolen key for rules cannot sign a binary.`,
  );
}

async function fill(
  made: string,
  request: InitRequest,
  keys: KeysOfRoles,
  surroundings: Surroundings,
): Promise<State> {
  const periods = { ...usualPeriods, ...request.periods };
  const places = placesIn(made);
  await mkdir(places.payloads, { recursive: true, mode: 0o700 });
  for (const path of [places.public, places.metadata, places.targets]) await makePublicDirectory(path);
  await writeConfig({ directory: made, product: request.product, periods, owners: {}, exported: {} });
  return draftAll(await openWorkspace(made, surroundings), contents(request, keys));
}

/** In an order in which the signers of each role are known. */
async function draftAll(workspace: Workspace, content: ReturnType<typeof contents>): Promise<State> {
  const { keys } = await readKeysAtHand(workspace.keys);
  let state = stateOf(noRoleFiles, noRoleFiles);
  for (const role of ["root", "targets", "rules", "binary"] as const) {
    const draft = await draftOf(workspace, state, role, content[role]);
    const signed = signWith(role, draft, keys, state);
    await writeDraft(workspace, role, signed);
    state = withDraft(state, role, signed);
  }
  return state;
}

type Content<T> = Omit<T, "version" | "expires">;

function contents({ thresholds }: InitRequest, keys: KeysOfRoles) {
  const role = (name: RoleName): Role => ({
    keyids: keys[name].map(({ id }) => id),
    threshold: thresholds[name] ?? 1,
  });
  const held = (...names: RoleName[]): Record<string, Key> =>
    Object.fromEntries(names.flatMap((name) => keys[name].map(({ id, key }) => [id, key])));
  const root: Content<Root> = {
    _type: "root",
    spec_version: specVersion,
    consistent_snapshot: true,
    keys: held("root", "timestamp", "snapshot", "targets"),
    roles: {
      root: role("root"),
      timestamp: role("timestamp"),
      snapshot: role("snapshot"),
      targets: role("targets"),
    },
  };
  const empty: Content<SignedTypes["targets"]> = { _type: "targets", spec_version: specVersion, targets: {} };
  const delegated = (name: ReleaseRole) => ({
    name,
    ...role(name),
    terminating: true,
    paths: [`*/${name}/*`],
  });
  const targets: Content<Targets> = {
    ...empty,
    delegations: { keys: held(...releaseRoles), roles: releaseRoles.map(delegated) },
  };
  return { root, targets, rules: empty, binary: empty };
}
