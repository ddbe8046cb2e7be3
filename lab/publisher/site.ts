import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestContext } from "node:test";
import { type AddResult, addRelease } from "../../src/publishing/add.ts";
import { type InitRequest, initRepository } from "../../src/publishing/init/init.ts";
import { readKeysAtHand } from "../../src/publishing/keys/private-keys.ts";
import { type PublishResult, publish } from "../../src/publishing/publish.ts";
import type { ReleaseEntry } from "../../src/publishing/release-entry.ts";
import { openWorkspace, type Surroundings, type Workspace } from "../../src/publishing/workspace.ts";
import { atEnd } from "../basics/ending.ts";
import { useOpenSsl } from "./quick-ed25519.ts";

// Releases that are published here are verified again and again.
useOpenSsl();

/** A publisher's working day. */
export const today = new Date("2026-11-20T12:00:00Z");

export const surroundings: Surroundings = {
  now: () => today,
  askPassphrase: async (file) => {
    throw new Error(`asked for the passphrase of ${file}`);
  },
};

export interface Site {
  /** Removed at the end of the test, where it is a test's. */
  readonly scratch: string;
  readonly directory: string;
  readonly workspace: Workspace;
}

/** A directory of this test's own. */
export function makeScratch(test: TestContext): string {
  const scratch = mkdtempSync(join(tmpdir(), "steward-publishing-"));
  atEnd(test, () => rmSync(scratch, { recursive: true, force: true }));
  return scratch;
}

/** A repository for the product demo, on the working day unless another time is given. */
export async function makeSite(
  test: TestContext,
  request: Partial<InitRequest> = {},
  time = today,
): Promise<Site> {
  return siteIn(makeScratch(test), request, time);
}

/** The same below a directory that is there; it is always `time` there, or goes by this machine's clock. */
export async function siteIn(scratch: string, request: Partial<InitRequest>, time?: Date): Promise<Site> {
  const directory = join(scratch, "site");
  const whole = { product: "demo", publicKeys: {}, thresholds: {}, periods: {}, ...request };
  const own = { ...surroundings, now: () => time ?? new Date() };
  await initRepository(directory, whole, own);
  return { scratch, directory, workspace: await openWorkspace(directory, own) };
}

/** The same workspace at another time. */
export function at(workspace: Workspace, time: string): Workspace {
  return { ...workspace, now: () => new Date(time) };
}

/** A payload as tar makes it, whose one file says `content`. */
export function makePayload({ scratch }: Pick<Site, "scratch">, name: string, content: string): string {
  const contents = join(scratch, `${name}.d`);
  mkdirSync(contents, { recursive: true });
  writeFileSync(join(contents, "rules.json"), content);
  const file = join(scratch, name);
  execFileSync("tar", ["-czf", file, "-C", contents, "."]);
  return file;
}

export function rulesEntry(overrides: Partial<ReleaseEntry> = {}): ReleaseEntry {
  return {
    steward: 1,
    kind: "rules",
    name: "demo-rules",
    version: "1.0.0",
    channel: "stable",
    product: "demo",
    arch: "any",
    ...overrides,
  };
}

export async function keysOf({ keys: directory }: Workspace) {
  const { keys } = await readKeysAtHand(directory);
  return keys;
}

/** Adds a payload that says which release it is of. */
export async function add(site: Site, overrides: Partial<ReleaseEntry> = {}): Promise<AddResult> {
  const entry = rulesEntry(overrides);
  const file = makePayload(site, `${entry.name}-${entry.version}.tar.gz`, `{"version":"${entry.version}"}`);
  return addFile(site, file, entry);
}

export async function addFile({ workspace }: Site, file: string, entry: ReleaseEntry): Promise<AddResult> {
  return addRelease(workspace, { file, entry, keys: await keysOf(workspace) });
}

export async function publishAll({ workspace }: { workspace: Workspace }): Promise<PublishResult> {
  return publish(workspace, await keysOf(workspace));
}
