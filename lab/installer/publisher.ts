import { addRelease } from "../../src/publishing/add.ts";
import { initRepository } from "../../src/publishing/init.ts";
import { readKeysAtHand } from "../../src/publishing/keys/private-keys.ts";
import { publish } from "../../src/publishing/publish.ts";
import type { ReleaseEntry } from "../../src/publishing/release-entry.ts";
import { openWorkspace, type Surroundings } from "../../src/publishing/workspace.ts";
import { useOpenSsl } from "../publisher/quick-ed25519.ts";

/** What `steward repo` does for a publisher, in this process. */
export interface Publisher {
  /** For any architecture, in the channel stable. */
  add(file: string, release: Pick<ReleaseEntry, "kind" | "name" | "version">): Promise<void>;
  publish(): Promise<void>;
}

const surroundings: Surroundings = {
  now: () => new Date(),
  askPassphrase: async (file) => {
    throw new Error(`asked for the passphrase of ${file}`);
  },
};

// Releases that are published for a test are verified again and again.
useOpenSsl();

/** Makes a repository for `product` in an absent directory. */
export async function openPublisher(site: string, product: string): Promise<Publisher> {
  await initRepository(site, { product, publicKeys: {}, thresholds: {}, periods: {} }, surroundings);
  const workspace = await openWorkspace(site, surroundings);
  const { keys } = await readKeysAtHand(workspace.keys);
  return {
    add: async (file, release) => {
      const entry = { ...release, steward: 1, channel: "stable", product, arch: "any" } as const;
      await addRelease(workspace, { file, entry, keys });
    },
    publish: async () => {
      await publish(workspace, keys);
    },
  };
}
