/**
 * A process that does what the device does, to be killed in the middle: `node … DIRECTORY URL VERSION` refreshes the
 * metadata in DIRECTORY/metadata and brings the rules of that version to DIRECTORY/staged. Prints the code of what it
 * fails with.
 */

import { StewardError } from "../../src/contract/errors.ts";
import { freeSpace } from "../../src/host/linux/free-space.ts";
import { fetchPayload } from "../../src/releases/download/payload.ts";
import { caps } from "../../src/tuf/caps.ts";
import { openMetadataFiles } from "../../src/tuf/metadata-files.ts";
import { refresh } from "../../src/tuf/refresh.ts";
import { ed25519Only } from "../../src/tuf/signatures.ts";
import { useOpenSsl } from "../publisher/quick-ed25519.ts";
import { openServed } from "../publisher/served.ts";

useOpenSsl();

const [directory = "", url = "", version = ""] = process.argv.slice(2);

try {
  await refreshAndFetch();
} catch (error) {
  if (!(error instanceof StewardError)) throw error;
  process.stdout.write(error.code);
  process.exitCode = 3;
}

async function refreshAndFetch(): Promise<void> {
  const { repository, close } = openServed({ url, caps });
  try {
    const files = await openMetadataFiles(`${directory}/metadata`);
    const session = { repository, files, caps, verifiers: ed25519Only, start: new Date() };
    const all = await (await refresh(session)).list("stable", "rules");
    const found = all.find(({ path }) => path.includes(version));
    if (!found) throw new Error(`there are no rules ${version}`);
    const { signal } = new AbortController();
    await fetchPayload({ repository, found, directory, freeSpace, caps, signal, isConsistentSnapshot: true });
  } finally {
    close();
  }
}
