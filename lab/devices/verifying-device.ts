import assert from "node:assert/strict";
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import { chmod, chown, mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import process from "node:process";
import { freeSpace } from "../../src/host/linux/free-space.ts";
import { createOwnersRights } from "../../src/host/linux/releases/agent-rights.ts";
import {
  type VerificationOptions,
  type VerifiedRelease,
  verifyAndCopy,
} from "../../src/installer/verify/verify-and-copy.ts";
import { emptyJournal } from "../../src/releases/release-journal.ts";
import { metadataFileName } from "../../src/tuf/metadata-files.ts";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { ownCredentials } from "../host/credentials.ts";
import type { AddedTarget, ReleaseOptions } from "../publisher/signed-forms.ts";
import { SignedRepository } from "../publisher/signed-repository.ts";
import { refused } from "./updating-device.ts";

/** An unused user of this host, without any right of root. */
export const agentUser = 47_123;

export const isRoot = process.geteuid?.() === 0;

/** This prefix runs a program as the agent's user with CAP_SYS_TIME, like the agent. No test sets a clock by it. */
export const asAgentUser = [
  "setpriv",
  ...["--reuid", String(agentUser), "--regid", String(agentUser), "--clear-groups"],
  ...["--inh-caps", "-all,+sys_time", "--ambient-caps", "-all,+sys_time", "--bounding-set", "-all,+sys_time"],
];

export type VerifyLab = Awaited<ReturnType<typeof openVerifyLab>>;

export function idOf({ target }: AddedTarget): string {
  return (target.hashes.sha512 ?? target.hashes.sha256)?.slice(0, 32) ?? "";
}

/** A device whose agent belongs to another user, and its publisher. */
export async function openVerifyLab(test: Ending, publisher = new SignedRepository()) {
  const base = await temporaryDirectory(test);
  await chmod(base, 0o755);
  const [agent, trust, releases] = [join(base, "agent"), join(base, "trust"), join(base, "releases")];
  const rootFile = join(base, "update-root.json");
  await writeFile(rootFile, publisher.metadata("1.root"));
  await mkdir(releases, { mode: 0o755 });
  await writeFile(join(releases, "journal.json"), "{}", { mode: 0o644 });
  for (const directory of ["", "updates", "updates/metadata", "updates/roots", "updates/staged"]) {
    await mkdir(join(agent, directory), { mode: 0o700 });
    await chown(join(agent, directory), agentUser, agentUser);
  }
  const lab = {
    publisher,
    /** The agent's state directory, and root's three directories. */
    ...{ agent, trust, releases, rootFile },
    /** Gives the agent this publisher's present metadata, unverified. */
    hold: (of?: SignedRepository): Promise<void> => holdMetadata(join(agent, "updates"), of ?? lab.publisher),
    /** Stages a payload under the id of its signed bytes, or other bytes in its place. */
    stage: async (added: AddedTarget, bytes: Uint8Array = added.payload): Promise<string> => {
      await put(lab.stagedPath(idOf(added)), bytes);
      return idOf(added);
    },
    stagedPath: (id: string) => join(agent, "updates/staged", `${id}.tar.gz`),
    verifyAndCopy: async (id: string, options?: Partial<VerificationOptions>): Promise<VerifiedRelease> =>
      verifyAndCopy(id, { ...(await usual(lab)), ...options }),
    /** A release that the installer verifies, so that it knows of it. */
    verifyNew: async (version: string, options?: Partial<VerificationOptions>): Promise<VerifiedRelease> => {
      const added = lab.publisher.addRelease({ version });
      lab.publisher.publish("rules");
      await lab.hold();
      return lab.verifyAndCopy(await lab.stage(added), options);
    },
    /** Runs a shell script as the agent's user, in its updates directory. */
    asAgent: (script: string, ...args: string[]): SpawnSyncReturns<string> => {
      const [program = "", ...options] = asAgentUser;
      return spawnSync(program, [...options, "sh", "-c", script, "sh", ...args], {
        cwd: "/",
        encoding: "utf8",
        env: { PATH: process.env.PATH, UPDATES: join(agent, "updates"), TRUST: trust, RELEASES: releases },
        timeout: 20_000,
      });
    },
  };
  return lab;
}

/** Has this done by the agent's user, who must be able to do it. */
export function does(lab: VerifyLab, script: string, ...args: string[]): void {
  const { status, stderr } = lab.asAgent(`set -e; ${script}`, ...args);
  assert.equal(status, 0, stderr);
}

/** A device whose agent holds this release, staged. */
export async function withStaged(test: Ending, options: ReleaseOptions = {}) {
  const lab = await openVerifyLab(test);
  const added = lab.publisher.addRelease({ version: "1.0.0", ...options });
  lab.publisher.publish("rules", "binary");
  await lab.hold();
  return { lab, id: await lab.stage(added), added };
}

/** Root's own files say this about the lab's device. */
export const labDevice: VerificationOptions["device"] = {
  ...{ product: "demo", arch: "x64", agentVersion: "1.0.0", channels: null },
  packaged: { rules: null, binary: null },
};

/** Gives the paths below root's own directory. */
export async function takenFiles(trust: string): Promise<string[]> {
  const names = await readdir(join(trust, "intake"), { recursive: true }).catch(() => []);
  return names.filter((name) => name.endsWith(".gz")).sort();
}

async function usual({ agent, trust, releases, rootFile }: VerifyLab): Promise<VerificationOptions> {
  return {
    directories: { trust, releases },
    stateDirectory: agent,
    asAgent: await createOwnersRights(agent, ownCredentials()),
    // The test's directory is below /tmp, which everybody may write to, and not only root.
    readInstalledRoot: () => readFile(rootFile),
    device: labDevice,
    journal: emptyJournal,
    builtAt: new Date("2026-11-01T00:00:00Z"),
    wall: () => new Date(),
    uptime: () => 1_000,
    bootId: "boot-1",
    freeBytes: freeSpace,
  };
}

async function holdMetadata(updates: string, publisher: SignedRepository): Promise<void> {
  const { root, snapshot, targets, delegated } = publisher;
  const putIn = (folder: string, name: string, served: string) =>
    put(join(updates, folder, metadataFileName(name)), publisher.metadata(served));
  await putIn("metadata", "timestamp", "timestamp");
  for (const [role, { version }] of Object.entries({ root, snapshot, targets, ...delegated }))
    await putIn("metadata", role, `${version}.${role}`);
  for (let version = 1; version <= root.version; version += 1)
    await putIn("roots", `${version}.root`, `${version}.root`);
}

async function put(path: string, bytes: Uint8Array): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes, { mode: 0o600 });
  await chown(path, agentUser, agentUser);
}

/** The whole of an attack: refused with this code, and nothing of any release is left of the installer's copies. */
export async function takesNothing(
  lab: VerifyLab,
  { id, code, saying = /./ }: { id: string; code: string; saying?: RegExp },
  options: Partial<VerificationOptions> = {},
): Promise<void> {
  const error = await refused(code, lab.verifyAndCopy(id, options));
  assert.match(error.message, saying);
  assert.deepEqual(await takenFiles(lab.trust), []);
}
