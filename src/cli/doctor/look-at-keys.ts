import { join } from "node:path";
import { createSeal } from "../../auth/second-factor/seal.ts";
import { missingKey, unusableKey } from "../../auth/second-factor/sealing-key.ts";
import { StewardError } from "../../contract/errors.ts";
import { type DoctorContext, isClosed, textOf } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf } from "./finding.ts";

const { ok, unseen } = entriesOf("keys");

/** Examines the keys on this device: each user's second factor must open with one. */
export async function lookAtKeys({ places, root, host }: DoctorContext): Promise<Entry[]> {
  if (await isClosed(places.stateDirectory))
    return [unseen("state_closed", "This user may not read the keys. Run it as root.")];
  const path = join(root, "/etc/steward/seal.key");
  const sealed = await sealedSecrets(places.stateDirectory);
  try {
    const keys = await host.readSealKeys({
      // As the unit of the agent has them, while it runs.
      credentialsDirectory: join(root, "/run/credentials/steward.service"),
      path,
      fallbackPath: join(places.stateDirectory, ".seal.key"),
      mayMake: false,
    });
    const { hasKey, keyIdOf } = createSeal(keys);
    const locked = sealed.filter(([, secret]) => !hasKey(secret));
    const [first] = locked;
    if (first === undefined) return [opened(sealed.length)];
    const found = missingKey(
      locked.map(([, secret]) => keyIdOf(secret)),
      path,
    );
    const deletes = `password and second factor of ${first[0]}, who gets a one-use password`;
    return [entryOf({ ...found, remedy: { line: `steward user rescue ${first[0]}`, deletes } })];
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    return [entryOf(unusableKey(error.message, sealed.length, path))];
  }
}

function opened(count: number): Entry {
  return ok(
    "readable",
    count === 0 ? "No user has a second factor." : `The key of ${count} second factors is here.`,
  );
}

interface Stored {
  readonly accounts?: readonly {
    readonly username: string;
    readonly two_factor: { readonly sealed_secret: string } | null;
  }[];
}

/** By user; none where the users cannot be read, which is a finding of the state. */
async function sealedSecrets(stateDirectory: string): Promise<[username: string, secret: string][]> {
  try {
    const { accounts = [] } = JSON.parse(
      (await textOf(join(stateDirectory, "users.json"))) ?? "{}",
    ) as Stored;
    return accounts.flatMap(({ username, two_factor }) =>
      two_factor === null ? [] : [[username, two_factor.sealed_secret]],
    );
  } catch {
    return [];
  }
}
