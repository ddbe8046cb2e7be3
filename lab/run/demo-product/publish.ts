import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { addRelease } from "../../../src/publishing/add.ts";
import { initRepository } from "../../../src/publishing/init/init.ts";
import { readKeysAtHand } from "../../../src/publishing/keys/private-keys.ts";
import { publish } from "../../../src/publishing/publish.ts";
import type { ReleaseEntry } from "../../../src/publishing/release-entry.ts";
import { roleNames } from "../../../src/publishing/roles.ts";
import { withWorkspace } from "../../../src/publishing/workspace.ts";
import { readRootOfTrust } from "../../../src/tuf/root-of-trust.ts";

/** The places of the demonstration's publisher, and of its files on the device. */
export interface PublisherPlaces {
  /** The publisher's repository, with its keys; only one run uses it. */
  readonly publisher: string;
  /** The device's root of trust; one that is there already stays. */
  readonly root: string;
}

export interface Published {
  /** The address for devices: a `file:` one. */
  readonly server: string;
  /** SHA-256 of the publisher's root, in hex. */
  readonly fingerprint: string;
  /** True where the device goes by this root. */
  readonly isTrusted: boolean;
}

const release: ReleaseEntry = {
  steward: 1,
  kind: "rules",
  name: "base",
  version: "0.9.0",
  channel: "stable",
  product: "demo",
  arch: "any",
  notes: "One rule, to see how an update is applied",
};

const rules = "# Alert on telnet.\nalert tcp any any -> any 23\n";

/** Ten years: these signatures are never renewed, and must still be valid at the next start. */
const periodSeconds = 3_650 * 86_400;

const surroundings = {
  now: () => new Date(),
  askPassphrase: () => Promise.reject(new Error("keys of the demonstration have no passphrase")),
};

/** Publishes a release of rules for the demonstration's product, and has the device trust the publisher, unless both are so. */
export async function publishDemoRelease({ publisher, root }: PublisherPlaces): Promise<Published> {
  const first = join(publisher, "public/metadata/1.root.json");
  if (!existsSync(join(publisher, "repository.json"))) {
    mkdirSync(dirname(publisher), { recursive: true });
    const periods = Object.fromEntries(roleNames.map((role) => [role, periodSeconds]));
    const request = { product: release.product, publicKeys: {}, thresholds: {}, periods };
    await initRepository(publisher, request, surroundings);
  }
  // Written last of all: while it is missing, a publisher before this one was interrupted.
  if (!existsSync(join(publisher, "public/metadata/timestamp.json"))) await publishRelease(publisher);
  if (!existsSync(root)) {
    mkdirSync(dirname(root), { recursive: true, mode: 0o700 });
    writeFileSync(root, readFileSync(first), { mode: 0o644 });
  }
  const { fingerprint } = readRootOfTrust(readFileSync(first));
  return {
    server: pathToFileURL(join(publisher, "public")).href,
    fingerprint,
    isTrusted: readFileSync(root).equals(readFileSync(first)),
  };
}

function publishRelease(publisher: string): Promise<unknown> {
  const [text, file] = [join(publisher, "base.rules"), join(publisher, "base.tar.gz")];
  writeFileSync(text, rules);
  execFileSync("tar", ["-czf", file, "-C", publisher, "base.rules"]);
  return withWorkspace(publisher, surroundings, async (workspace) => {
    const { keys } = await readKeysAtHand(workspace.keys);
    await addRelease(workspace, { file, keys, entry: release });
    return publish(workspace, keys);
  });
}
