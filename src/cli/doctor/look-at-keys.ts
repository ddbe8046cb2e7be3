import { join } from "node:path";
import { createSeal } from "../../accounts/second-factor/seal.ts";
import { missingKey, unusableKey } from "../../accounts/second-factor/sealing-key.ts";
import type { Account, AccountsState } from "../../accounts/users/account.ts";
import {
  administratorTrouble,
  isEnabledAdministrator,
  rescueOf,
} from "../../accounts/users/administrators.ts";
import { StewardError } from "../../contract/errors.ts";
import { setupFinding } from "../../system/status-needs.ts";
import { type Answer, type DoctorContext, isClosed, textOf } from "./doctor-context.ts";
import { type Entry, entriesOf, entryOf } from "./finding.ts";

const { ok, unseen } = entriesOf("keys");
const people = entriesOf("people");

type Keys = Pick<ReturnType<typeof createSeal>, "hasKey" | "keyIdOf">;

/** Examines the keys on this device, which each user's second factor must open with, and if an administrator can sign in. */
export async function lookAtKeys(context: DoctorContext, answer: Answer): Promise<Entry[]> {
  const { stateDirectory } = context.places;
  if (await isClosed(stateDirectory))
    return [unseen("state_closed", "This user cannot read the keys. Run it as root.")];
  const accounts = await accountsIn(stateDirectory);
  const path = join(context.root, "/etc/steward/seal.key");
  const { keys, unusable } = await keysOf(context, path);
  const sealed = (accounts ?? []).filter(({ two_factor }) => two_factor !== null);
  const found =
    unusable === null ? opening(sealed, keys, path) : entryOf(unusableKey(unusable, sealed.length, path));
  return [found, administratorEntry(accounts, keys, answer)];
}

/** `unusable`: why none of them can be used. */
async function keysOf({ places, root, host }: DoctorContext, path: string) {
  try {
    const keys = await host.readSealKeys({
      // As the unit of the agent has them, while it runs.
      credentialsDirectory: join(root, "/run/credentials/steward.service"),
      path,
      fallbackPath: join(places.stateDirectory, ".seal.key"),
      mayMake: false,
    });
    return { keys: createSeal(keys), unusable: null };
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    return { keys: createSeal([]), unusable: error.message };
  }
}

function opening(sealed: readonly Account[], { hasKey, keyIdOf }: Keys, path: string): Entry {
  const secretOf = ({ two_factor }: Account) => two_factor?.sealed_secret ?? "";
  const locked = sealed.filter((account) => !hasKey(secretOf(account)));
  const [first] = locked;
  if (sealed.length === 0) return ok("readable", "No user has a second factor.");
  if (first === undefined) return ok("readable", `The key of ${sealed.length} second factors is here.`);
  const ids = locked.map((account) => keyIdOf(secretOf(account)));
  return entryOf({ ...missingKey(ids, path), remedy: rescueOf(first.username) });
}

function administratorEntry(accounts: readonly Account[] | null, { hasKey }: Keys, answer: Answer): Entry {
  if (accounts === null) return people.unseen("no_users", "There are no users to look at.");
  const administrators = accounts.filter(isEnabledAdministrator).length;
  if (administrators === 0) return entryOf(setupFinding());
  // Only a running agent has sessions, and it has counted them.
  const isSignedIn = () =>
    !(answer instanceof Error) && answer.needs.every(({ code }) => code !== "no_administrator");
  const trouble = administratorTrouble(accounts, { hasKey, isSignedIn }, true);
  if (trouble !== null) return entryOf(trouble);
  return people.ok("administrator", `${accounts.length} users, ${administrators} of them administrators.`);
}

/** Null where the users cannot be read, which is a finding of the state. */
async function accountsIn(stateDirectory: string): Promise<readonly Account[] | null> {
  try {
    const text = (await textOf(join(stateDirectory, "users.json"))) ?? "";
    return (JSON.parse(text) as AccountsState).accounts;
  } catch {
    return null;
  }
}
