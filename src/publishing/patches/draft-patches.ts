import { createHash } from "node:crypto";
import { join } from "node:path";
import { mostUnpackedBytes, type PatchEntry, patchForm, readPatch } from "../../releases/patches/patch.ts";
import { compareVersions } from "../../releases/semver.ts";
import { readSignedPayload } from "../../releases/signed-payload.ts";
import { writeDurably } from "../../store/files/durable-file.ts";
import type { TargetFile, Targets } from "../../tuf/metadata.ts";
import { privateMode } from "../files.ts";
import { locatePayload } from "../payload-store.ts";
import { type ReleaseEntry, type ReleaseTarget, releasesIn } from "../release-entry.ts";
import type { State } from "../state.ts";
import type { Workspace } from "../workspace.ts";
import { makePatch } from "./make-patch.ts";
import { unpackedWhole } from "./repack.ts";

/** A patch among the drafts. */
export interface DraftedPatch {
  readonly path: string;
  readonly file: TargetFile;
  /** The version that it begins with. */
  readonly from: string;
}

export interface DraftedPatches {
  readonly patches: readonly DraftedPatch[];
  /** Versions without a patch, and why. */
  readonly skipped: readonly { readonly from: string; readonly why: "too_large" | "no_smaller" }[];
}

/** A patch that saves less than a tenth is not worth a failed one's request. */
const largestShare = 0.9;

/**
 * Makes patches to a release whose payload is staged, from so many releases before it of its line: what one device may
 * have, newest first. They are staged as payloads are.
 */
export async function draftPatches(
  workspace: Workspace,
  state: State,
  { release, count }: { release: ReleaseTarget; count: number },
): Promise<DraftedPatches> {
  const patches: DraftedPatch[] = [];
  const skipped: DraftedPatches["skipped"][number][] = [];
  const formers = formersOf(state, release.entry).slice(0, count);
  const next = formers.length === 0 ? null : await contentOf(workspace, release);
  for (const former of formers) {
    const from = former.entry.version;
    const before = next && (await contentOf(workspace, former));
    if (next === null || before === null) {
      skipped.push({ from, why: "too_large" });
      continue;
    }
    const bytes = await makePatch(before, next);
    if (bytes.length > release.file.length * largestShare) skipped.push({ from, why: "no_smaller" });
    else patches.push(await staged(workspace, bytes, { former, release, before, next }));
  }
  return { patches, skipped };
}

/** null: it has more bytes than a device unpacks. */
async function contentOf(workspace: Workspace, { path, file }: ReleaseTarget): Promise<Buffer | null> {
  return unpackedWhole(await locatePayload(workspace, path, file), mostUnpackedBytes);
}

async function staged(
  { payloads }: Workspace,
  bytes: Uint8Array,
  made: { former: ReleaseTarget; release: ReleaseTarget; before: Uint8Array; next: Uint8Array },
): Promise<DraftedPatch> {
  const { former, release, before, next } = made;
  const sha512 = createHash("sha512").update(bytes).digest("hex");
  await writeDurably(join(payloads, sha512), bytes, privateMode);
  const custom: PatchEntry = {
    steward_patch: patchForm,
    from: readSignedPayload(former.file).nameHash,
    to: readSignedPayload(release.file).nameHash,
    from_tar_bytes: before.length,
    to_tar_bytes: next.length,
  };
  const from = former.entry.version;
  const path = release.path.replace(/\.tar\.gz$/, `.from.${from}.zst`);
  return { path, file: { length: bytes.length, hashes: { sha512 }, custom }, from };
}

/** Releases on offer that a device may have when this one comes, the newest first. */
function formersOf({ next }: State, entry: ReleaseEntry): readonly ReleaseTarget[] {
  return lineOf(next[entry.kind]?.signed.targets ?? {}, entry)
    .filter((one) => one.entry.withdrawn === undefined)
    .filter((one) => compareVersions(one.entry.version, entry.version) < 0)
    .toSorted((one, other) => compareVersions(other.entry.version, one.entry.version));
}

/**
 * Paths of patches to other releases of the line: a device takes the newest, and an old patch would only fill the metadata.
 */
export function stalePatches({ next }: State, entry: ReleaseEntry): ReadonlySet<string> {
  const targets = next[entry.kind]?.signed.targets ?? {};
  const others = lineOf(targets, entry).filter((one) => one.entry.version !== entry.version);
  const hashes = new Set(others.map(({ file }) => readSignedPayload(file).nameHash));
  const stale = Object.entries(targets).filter(([path, file]) => {
    const patch = readPatch({ path, file, role: entry.kind });
    return patch !== null && hashes.has(patch.to);
  });
  return new Set(stale.map(([path]) => path));
}

/** The releases among which one device chooses. */
function lineOf(targets: Targets["targets"], line: ReleaseEntry): readonly ReleaseTarget[] {
  const members = ["kind", "name", "product", "channel", "arch"] as const;
  return releasesIn(targets).filter(({ entry }) => members.every((one) => entry[one] === line[one]));
}
