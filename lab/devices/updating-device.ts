import assert from "node:assert/strict";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { StewardError } from "../../src/contract/errors.ts";
import type { ResolveHost } from "../../src/host/ports.ts";
import { type Caps, caps as ownCaps } from "../../src/tuf/caps.ts";
import { openMetadataFiles } from "../../src/tuf/metadata-files.ts";
import { refresh } from "../../src/tuf/refresh.ts";
import type { Validators } from "../../src/tuf/repository.ts";
import { ed25519Only } from "../../src/tuf/signatures.ts";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { startHostileServer } from "../publisher/hostile-server.ts";
import { openServed } from "../publisher/served.ts";
import { type RepositoryOptions, SignedRepository } from "../publisher/signed-repository.ts";

/** A refresh differs from the usual in these. */
export interface RefreshOptions {
  /** The device believes this to be the time. */
  now?: Date;
  caps?: Partial<Caps>;
  /** The trusted timestamp came with these. */
  known?: Validators | undefined;
  /** Instead of the lab's server. */
  url?: string;
  allowLocalServers?: boolean;
  resolveHost?: ResolveHost;
}

/** A device that trusts the first root of a repository, and the server in between. */
export type Lab = Awaited<ReturnType<typeof labOf>>;

/** The beginning of labs, the same for all of the same options: keys and signatures are most of its cost. */
const beginnings = new Map<string, ReturnType<typeof begin>>();

/** A lab whose device has refreshed once already, unless it is to be new. It shares nothing with another. */
export async function startLab(
  test: Ending,
  { isNew = false, ...options }: RepositoryOptions & { isNew?: boolean } = {},
): Promise<Lab> {
  const kind = JSON.stringify(options);
  const beginning = beginnings.get(kind) ?? begin(test, options);
  beginnings.set(kind, beginning);
  const { repository, trusted } = await beginning;
  const lab = await labOf(test, repository.fork(), options);
  for (const [name, text] of Object.entries(isNew ? {} : trusted))
    await writeFile(join(lab.metadata, name), text, { mode: 0o600 });
  return lab;
}

/** A repository, and the files of a device after its first refresh, when it has looked for what it may take. */
async function begin(test: Ending, options: RepositoryOptions) {
  const repository = new SignedRepository(options);
  repository.addRelease({ kind: "rules", version: "1.0.0" });
  repository.addRelease({ kind: "binary", version: "1.0.0", arch: "x64" });
  repository.publish("targets", "rules", "binary");
  const lab = await labOf(test, repository, options);
  const refreshed = await lab.refresh();
  // The delegated roles too: a device looks for what it may take.
  await refreshed.list("stable", "rules");
  await refreshed.list("stable", "binary");
  return { repository, trusted: await lab.trusted() };
}

/** The device knows only the first root. */
async function labOf(test: Ending, repository: SignedRepository, options: RepositoryOptions) {
  const server = await startHostileServer(test, repository.files);
  const metadata = join(await temporaryDirectory(test), "metadata");
  await (await openMetadataFiles(metadata)).write("root", repository.metadata("1.root"));
  return {
    repository,
    server,
    /** The device's directory of trusted metadata. */
    metadata,
    refresh: async (given: RefreshOptions = {}) => {
      const { now = options.now ?? new Date(), caps: some, url = server.origin, known, ...way } = given;
      const files = await openMetadataFiles(metadata);
      const caps = { ...ownCaps, ...some };
      const { repository: served, close } = openServed({ url, caps, ...way });
      try {
        return await refresh({ repository: served, files, caps, verifiers: ed25519Only, start: now, known });
      } finally {
        close();
      }
    },
    /** Gives the files there by name, without the product's own code. */
    trusted: async (): Promise<Record<string, string>> => {
      const names = (await readdir(metadata)).sort();
      const texts = names.map((name) => readFile(join(metadata, name), "utf8"));
      return Object.fromEntries((await Promise.all(texts)).map((text, index) => [names[index], text]));
    },
  };
}

/** Asserts that it ends with this code, as a StewardError, and gives that. */
export async function refused(code: string, work: Promise<unknown>): Promise<StewardError> {
  const error: unknown = await work.then(
    () => assert.fail(`it went through, and must end with ${code}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof StewardError)) throw error;
  assert.equal(error.code, code, error.message);
  return error;
}

/**
 * The whole of an attack on a refresh: it ends with `code`; the trusted files are byte for byte what they were, but for
 * those that `moved`, which were verified and kept before the bad one came; and with the honest publisher's next
 * version from an honest server all is well.
 */
export async function withstands(
  lab: Lab,
  {
    code,
    moved = [],
    search = false,
    ...options
  }: RefreshOptions & { code: string; moved?: string[]; search?: boolean },
): Promise<StewardError> {
  const before = await lab.trusted();
  const attack = async () => {
    const refreshed = await lab.refresh(options);
    if (search) await refreshed.list("stable", "rules");
  };
  const error = await refused(code, attack());
  const after = await lab.trusted();
  for (const role of moved) {
    assert.notEqual(after[`${role}.json`], before[`${role}.json`], `${role} was not kept`);
    delete before[`${role}.json`];
    delete after[`${role}.json`];
  }
  assert.deepEqual(after, before);
  await recovers(lab);
  return error;
}

/** The honest publisher goes on, the server is honest: the next refresh must succeed and bring the new release. */
export async function recovers(lab: Lab, now?: Date): Promise<void> {
  const { repository, server } = lab;
  server.files = repository.files;
  server.repent();
  // Twice: the attacker may have used up the next version number of a role whose key it had.
  repository.publish("targets", "rules", "binary");
  const { path } = repository.addRelease({ version: "7.0.0" });
  repository.publish("targets", "rules", "binary");
  const refreshed = await lab.refresh(now ? { now } : {});
  const found = (await refreshed.list("stable", "rules")).some((target) => target.path === path);
  assert.ok(found, "the honest release is not found");
  await refreshed.list("stable", "binary");
  const trusted = await lab.trusted();
  const { root, snapshot, targets, delegated } = repository;
  const versions = { root, snapshot, targets, rules: delegated.rules, binary: delegated.binary };
  const names = Object.entries(versions).map(
    ([role, signed]) => [role, `${signed?.version}.${role}`] as const,
  );
  for (const [role, name] of [["timestamp", "timestamp"] as const, ...names])
    assert.equal(trusted[`${role}.json`], String(repository.metadata(name)), name);
}
