import assert from "node:assert/strict";
import { readdir, readFile, readlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { pathsOf } from "../../src/installer/files/release-directories.ts";
import type { UpdateKind } from "../../src/releases/release.ts";
import { type ReleaseJournal, readReleaseJournal } from "../../src/releases/release-journal.ts";
import type { Device } from "./device.ts";
import type { Published } from "./published.ts";
import { type PackedRelease, treeHash } from "./releases.ts";

export async function journalOf({ directories }: Device): Promise<ReleaseJournal> {
  return readReleaseJournal(await readFile(pathsOf(directories).journal));
}

/** The release that `current` or `previous` leads to, its tree whole as it was published; null: there is no such link. */
export async function linked(
  { directories }: Device,
  published: Published,
  link: string,
): Promise<PackedRelease | null> {
  const target = await readlink(link).catch(() => null);
  if (target === null) return null;
  const id = basename(target);
  assert.equal(target, pathsOf(directories).linkTo(id), `${link} leads elsewhere`);
  const release = published.releases.find((one) => one.id === id);
  assert.ok(release, `${link} leads to ${id}, which was never published`);
  assert.equal(
    await treeHash(pathsOf(directories).tree(id)),
    release.treeHash,
    `the tree of ${release.version} is not whole`,
  );
  return release;
}

export async function current(
  device: Device,
  published: Published,
  kind: UpdateKind,
): Promise<PackedRelease> {
  const release = await linked(device, published, pathsOf(device.directories).current(kind));
  assert.ok(release, `nothing is current of the kind ${kind}`);
  return release;
}

/** A change that was killed in the middle leaves such a file beside its own, until that is written again. */
const isTemporary = (name: string): boolean => /^\.[^/]+\.tmp$/.test(name);

/** Nothing at all is left of what was killed. */
export async function noLeftovers({ directories }: Device): Promise<void> {
  const places = [directories.releases, directories.trust];
  const all = await Promise.all(places.map((directory) => readdir(directory, { recursive: true })));
  const left = all.flat().filter((path) => basename(path).startsWith(".") && basename(path) !== ".lock");
  assert.deepEqual(left, [], "leftovers of the killed run");
}

/** Nothing is under way, and links, labels and trees are what the journal says, no more and no less. */
export async function isConsistent(device: Device, published: Published): Promise<void> {
  const paths = pathsOf(device.directories);
  const journal = await journalOf(device);
  const kept: string[] = [];
  for (const kind of ["rules", "binary"] as const) {
    const { trial, good } = journal.slots[kind];
    assert.equal(trial, null, `${kind} is still on trial`);
    const links = [paths.current(kind), paths.previous(kind)];
    const [present, former] = await Promise.all(links.map((link) => linked(device, published, link)));
    assert.equal(present?.id, good.at(-1)?.id, `current of ${kind}`);
    assert.equal(former?.id, good.at(-2)?.id, `previous of ${kind}`);
    for (const { id } of good) kept.push(id, `${id}.json`);
  }
  const lies = async (directory: string): Promise<string[]> =>
    (await readdir(directory)).filter((name) => !isTemporary(name)).sort();
  assert.deepEqual(await lies(paths.trees), kept.sort(), "trees and labels that are kept");
  const others = ["binary", "journal.json", "releases", "rules"];
  const found = (await lies(device.directories.releases)).filter((name) => name !== ".lock");
  assert.deepEqual(found, others, "what lies beside them");
  for (const kind of ["rules", "binary"] as const) {
    const odd = (await lies(paths.slot(kind))).filter((name) => !["current", "previous"].includes(name));
    assert.deepEqual(odd, [], `what lies beside the links of ${kind}`);
  }
  const left = (await readdir(device.directories.trust)).filter((name) => name === "intake");
  assert.deepEqual(left, [], "root's copy of a payload is still there");
}

/** By role, the version of root's own trusted metadata. */
export async function metadataVersions({ directories }: Device): Promise<Record<string, number>> {
  const directory = pathsOf(directories).metadata;
  const names = (await readdir(directory)).filter((name) => /^[^.].*\.json$/.test(name));
  const read = names.map(async (name) => {
    const { signed } = JSON.parse(await readFile(join(directory, name), "utf8"));
    return [name, signed.version as number] as const;
  });
  return Object.fromEntries(await Promise.all(read));
}

/** None went back, and none is gone. */
export function neverBack(before: Record<string, number>, after: Record<string, number>): void {
  for (const [role, version] of Object.entries(before)) {
    assert.ok((after[role] ?? 0) >= version, `${role} went from version ${version} to ${after[role]}`);
  }
}

/** The pump says that it has this release, over HTTP. */
export async function runsWell({ hostFile }: Device, { kind, version }: PackedRelease): Promise<void> {
  const { update } = JSON.parse(await readFile(hostFile, "utf8"));
  const answer = await fetch(update[kind].health.http[0].url);
  const said = { status: answer.status, ...((await answer.json()) as object) };
  assert.deepEqual(said, { status: 200, version }, "what the pump says");
}
