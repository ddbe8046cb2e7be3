import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { StewardError } from "../contract/errors.ts";
import { objectIn } from "../contract/text/json-of.ts";
import { caps } from "../tuf/caps.ts";
import { type Metadata, type RoleType, type TargetFile, type Targets, topLevel } from "../tuf/metadata.ts";
import { readMetadata } from "../tuf/read-metadata.ts";
import { readRootOfTrust } from "../tuf/root-of-trust.ts";
import { readIfThere } from "./files.ts";
import { fillingsOf } from "./fullness.ts";
import { type Count, countSignatures, openKeys } from "./keys/signing.ts";
import { locatePayload } from "./payload-store.ts";
import { readPublished } from "./published.ts";
import {
  authoritiesOf,
  noRoleFiles,
  type RoleFiles,
  type RoleName,
  releaseRoles,
  roleNames,
  typeOfRole,
} from "./roles.ts";
import { readState, type State, stateOf } from "./state.ts";
import { openWorkspace, type Surroundings, type Workspace } from "./workspace.ts";

/** One metadata file. */
export type RoleReport = ReturnType<typeof roleReport>;

export type TargetReport = Awaited<ReturnType<typeof targetReports>>[number];

export type Report = Awaited<ReturnType<typeof reportOf>>;

/** Inspects a repository: a directory made by `init`, or an uploaded copy. Throws `not_found`, and the errors of reading. */
export async function inspectRepository(directory: string, surroundings: Surroundings): Promise<Report> {
  const names: string[] = await readdir(directory).catch(() => []);
  if (!names.includes("repository.json") && names.includes("metadata"))
    return inspectPublic(directory, surroundings);
  const workspace = await openWorkspace(directory, surroundings);
  return report(await readState(workspace), workspace, workspace.product);
}

async function inspectPublic(directory: string, { now }: Surroundings): Promise<Report> {
  const [metadata, targets] = [join(directory, "metadata"), join(directory, "targets")];
  const places = { directory, metadata, targets, payloads: directory, now, owners: {} };
  return report(stateOf(await readPublished(metadata), noRoleFiles), places, null);
}

type Places = Pick<Workspace, "directory" | "metadata" | "targets" | "payloads" | "now" | "owners">;

async function report(state: State, places: Places, product: string | null): Promise<Report> {
  const first = await readIfThere(join(places.metadata, "1.root.json"));
  const isThere: IsThere = async (path, file) =>
    (await locatePayload(places, path, file).catch(() => null)) !== null;
  return reportOf(state, { ...places, first, isThere, product });
}

type IsThere = (path: string, file: TargetFile) => Promise<boolean>;

interface Surveyed extends Pick<Workspace, "directory" | "now" | "owners"> {
  readonly product: string | null;
  /** The first root. */
  readonly first: Uint8Array | null;
  /** False: the payload is missing. */
  readonly isThere: IsThere;
}

/** A report on what was read of a repository. */
export async function reportOf(state: State, surveyed: Surveyed) {
  const { published, drafts } = state;
  const { now, owners, first, product, directory } = surveyed;
  const asPublished = stateOf(published, published);
  const reports = (held: RoleFiles, within: State): RoleReport[] =>
    roleNames.flatMap((role) => {
      const file = held[role];
      return file ? [roleReport(role, file, within, now())] : [];
    });
  const live = reports(published, asPublished);
  const targets = await targetReports(state, surveyed.isThere);
  return {
    /** The fingerprint of 1.root.json, as devices show it; null: not published yet. */
    fingerprint: first && readRootOfTrust(first).fingerprint,
    product,
    published: live,
    drafts: reports(drafts, state),
    targets,
    /** Reasons why devices cannot read the published repository; empty: none. */
    problems: [...live.flatMap((one) => problemsOf(one, owners)), ...missingPayloads(targets)],
    /** By key id; an uploaded copy does not say it. */
    key_owners: owners,
    /** Limits of devices of which the metadata take up half or more, with those of drafts where there are any. */
    fillings: fillingsOf(state.next, directory),
  };
}

function roleReport(role: RoleName, file: Metadata<RoleType>, { published, next }: State, now: Date) {
  const { version, expires } = file.signed;
  return {
    role,
    version,
    expires,
    /** Negative: already expired. */
    expires_in_seconds: Math.floor((Date.parse(expires) - now.getTime()) / 1_000),
    /** For each file that names the signers. */
    signatures: authoritiesOf(role, published, next).map((authority) => countSignatures(file, authority)),
  };
}

function problemsOf(
  { role, version, expires, expires_in_seconds, signatures }: RoleReport,
  owners: Workspace["owners"],
): string[] {
  const found: string[] = [];
  if (expires_in_seconds <= 0) found.push(`${role} version ${version} has expired at ${expires}`);
  for (const { missing, isRequired, ...count } of signatures)
    if (isRequired && missing > 0)
      found.push(`${role} version ${version} lacks ${missing} good signatures of ${openKeys(count, owners)}`);
  return found;
}

async function targetReports({ next, published }: State, isThere: IsThere) {
  const reports = [];
  for (const role of ["targets", ...releaseRoles] as const) {
    const before: Targets["targets"] = published[role]?.signed.targets ?? {};
    const after: Targets["targets"] = next[role]?.signed.targets ?? {};
    for (const [path, file] of Object.entries({ ...before, ...after })) {
      const { length, hashes, custom = null } = file;
      /** It is published, and the draft drops it. */
      const is_dropped = after[path] === undefined;
      const is_draft = !is_dropped && JSON.stringify(before[path]) !== JSON.stringify(file);
      const is_missing = !(await isThere(path, file));
      reports.push({ path, role, length, hashes, custom, is_missing, is_draft, is_dropped });
    }
  }
  return reports;
}

function missingPayloads(targets: readonly TargetReport[]): string[] {
  return targets
    .filter(({ is_missing, is_draft }) => is_missing && !is_draft)
    .map(({ path }) => `the payload of ${path} is missing`);
}

/** The content of one metadata file, with any signatures. */
export type FileReport = Awaited<ReturnType<typeof inspectFile>>;

/** Inspects one file. Only a root names its own signers, so signatures of other roles cannot be judged here. */
export async function inspectFile(file: string, { now }: Surroundings) {
  const bytes = await readIfThere(file);
  if (bytes === null) throw new StewardError("not_found", `${file} does not exist.`);
  const type = typeNamedBy(bytes) ?? typeOfRole[basename(file).replace(/^\d+\.|\.json$/g, "") as RoleName];
  if (type === undefined) {
    throw new StewardError("validation_failed", `${file} is not a metadata file of an update repository.`);
  }
  const metadata = readMetadata(type, bytes, caps);
  const { signed, signatures } = metadata;
  const count = signed._type === "root" ? rootCount(metadata as Metadata<"root">) : null;
  return {
    type,
    version: signed.version,
    expires: signed.expires,
    expires_in_seconds: Math.floor((Date.parse(signed.expires) - now().getTime()) / 1_000),
    signatures: signatures.map(({ keyid }) => ({
      key_id: keyid,
      good: count?.keyids.includes(keyid) ? count.signedBy.includes(keyid) : null,
    })),
    signed,
    /** The fingerprint of a root, as devices show it. */
    fingerprint: count === null || count.missing > 0 ? null : readRootOfTrust(bytes).fingerprint,
  };
}

function rootCount(metadata: Metadata<"root">): Count {
  const { roles, keys, version } = metadata.signed;
  const by = `root version ${version}`;
  return countSignatures(metadata, { ...roles.root, keys, name: "root", by, isRequired: true });
}

function typeNamedBy(bytes: Uint8Array): RoleType | undefined {
  const { signed } = (objectIn(Buffer.from(bytes).toString("utf8")) ?? {}) as { signed?: { _type?: string } };
  return topLevel.find((type) => type === signed?._type);
}
