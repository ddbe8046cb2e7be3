import { join } from "node:path";
import { createSeal } from "../../auth/second-factor/seal.ts";
import { StewardError } from "../../contract/errors.ts";
import { type Finding, findingsOf } from "./finding.ts";
import { type Ground, isClosed, textOf } from "./ground.ts";

const { ok, failing, unseen } = findingsOf("keys");

/** Whether the keys on this device open the second factor of each user. */
export async function lookAtKeys({ places, root, host }: Ground): Promise<Finding[]> {
  if (await isClosed(places.stateDirectory))
    return [unseen({ code: "state_closed", what: "This user must not look at the keys." })];
  const path = join(root, "/etc/steward/seal.key");
  try {
    const keys = await host.readSealKeys({
      // As the unit of the agent has them, while it runs.
      credentialsDirectory: join(root, "/run/credentials/steward.service"),
      path,
      fallbackPath: join(places.stateDirectory, ".seal.key"),
      mayMake: false,
    });
    const { hasKey } = createSeal(keys);
    const sealed = await sealedSecrets(places.stateDirectory);
    const locked = sealed.filter(([, secret]) => !hasKey(secret)).map(([username]) => username);
    return [locked.length === 0 ? opened(sealed.length) : missing(path, locked)];
  } catch (error) {
    if (!(error instanceof StewardError)) throw error;
    return [unusable(path, error)];
  }
}

function opened(count: number): Finding {
  const what = count === 0 ? "No user has a second factor." : `The key of ${count} second factors is here.`;
  return ok({ code: "readable", what });
}

function missing(path: string, users: readonly string[]): Finding {
  const [first = ""] = users;
  const rest = users.length > 1 ? ` and of ${users.length - 1} more` : "";
  return failing({
    code: "key_missing",
    what: `The key that the second factor of ${first}${rest} was sealed with is not on this device.`,
    meaning: `Their codes cannot be checked; recovery codes work. Put the key back as ${path} (root:steward, 0640), or let each of them in with a one-use password.`,
    command: `steward user rescue ${first}`,
  });
}

function unusable(path: string, { message }: Error): Finding {
  const repair = /As root: (chown \S+ \S+; chmod \S+ \S+)\. /.exec(message)?.[1];
  return failing({
    code: "unusable",
    what: message,
    meaning: "Codes cannot be checked; recovery codes work.",
    command: repair ?? `mv ${path} ${path}.unusable`,
  });
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
