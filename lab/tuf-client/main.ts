/**
 * The command line that the public conformance suite for TUF clients drives (theupdateframework/tuf-conformance,
 * CLIENT-CLI.md): the agent's own client, with the verifiers handed in that the agent does without.
 */
import assert from "node:assert/strict";
import { mkdtemp, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freeSpace } from "../../src/host/linux/free-space.ts";
import { createTransfers } from "../../src/host/linux/transfers/transfers.ts";
import { fetchPayload } from "../../src/releases/download/payload.ts";
import { openRepository } from "../../src/releases/download/repository-files.ts";
import { readSignedPayload } from "../../src/releases/signed-payload.ts";
import { openStaged } from "../../src/releases/staged-payload.ts";
import { caps } from "../../src/tuf/caps.ts";
import type { FoundTarget, Refreshed } from "../../src/tuf/client.ts";
import { openMetadataFiles } from "../../src/tuf/metadata-files.ts";
import { refresh } from "../../src/tuf/refresh.ts";
import type { Repository } from "../../src/tuf/repository.ts";
import { everyVerifier } from "./verifiers.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    ...{ "metadata-dir": { type: "string" }, "metadata-url": { type: "string" } },
    ...{ "target-name": { type: "string", multiple: true }, "target-base-url": { type: "string" } },
    "target-dir": { type: "string" },
  },
} as const);
const { signal } = new AbortController();

function given(name: "metadata-dir" | "metadata-url" | "target-base-url" | "target-dir"): string {
  const value = values[name];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return value;
}

function repositoryAt(targets: string): Repository {
  const transfers = createTransfers({ redirects: caps.redirects, allowLocalServers: true });
  return openRepository({ transfers, url: { metadata: given("metadata-url"), targets }, caps, signal });
}

async function refreshed(repository: Repository): Promise<Refreshed> {
  const files = await openMetadataFiles(given("metadata-dir"));
  return refresh({ repository, files, caps, verifiers: everyVerifier, start: new Date() });
}

/** Under one name a target, whatever its content is; one that is there as it was signed is not fetched again. */
async function fetchTo(
  directory: string,
  repository: Repository,
  found: FoundTarget,
  isConsistentSnapshot: boolean,
): Promise<void> {
  const path = join(directory, encodeURIComponent(found.path));
  const present = await openStaged(path, readSignedPayload(found.file)).catch(() => null);
  if (present !== null) return present.close();
  const staging = await mkdtemp(join(directory, ".staging-"));
  try {
    const options = { repository, found, directory: staging, freeSpace, caps, signal, isConsistentSnapshot };
    await rename((await fetchPayload(options)).path, path);
  } finally {
    await rm(staging, { recursive: true });
  }
}

const commands: Readonly<Record<string, (root?: string) => Promise<unknown>>> = {
  init: async (root) => {
    if (root === undefined) throw new Error("init needs the file of a root");
    await (await openMetadataFiles(given("metadata-dir"))).write("root", await readFile(root));
  },
  refresh: () => refreshed(repositoryAt("")),
  download: async () => {
    const repository = repositoryAt(given("target-base-url"));
    const { find, root } = await refreshed(repository);
    for (const name of values["target-name"] ?? []) {
      const found = await find(name);
      if (found === null) throw new Error(`${name} is not signed`);
      await fetchTo(given("target-dir"), repository, found, root.consistent_snapshot === true);
    }
  },
};

const [command = "", root] = positionals;
const run = async () =>
  (commands[command] ?? assert.fail("the commands are init, refresh and download"))(root);
run().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
  process.exitCode = 1;
});
