import type { Configuration, ConfigurationResult } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import type { Invocation } from "../client/command.ts";
import { updateRootPath, writeUpdateRoot } from "../updates/update-trust-install.ts";

/**
 * Applies a configuration. A root of trust in it is written here, as root, for the agent must not be able to: the agent
 * keeps the rest ready on the disk, the file that root puts in place brings all of it in force, and the agent does the rest
 * when it is asked again, or at its next start.
 */
export async function applyWithRoot(
  invocation: Invocation,
  configuration: Configuration,
): Promise<ConfigurationResult> {
  const { client, context, places } = invocation;
  const ask = (body: Configuration) => client.call("applyConfiguration", { query: { check: false }, body });
  const userId = context.program.userId();
  const ready = await ask(configuration);
  if (ready.awaits_update_root === null) return ready;
  try {
    requireSameUser(userId, context.program.userId());
    await write(invocation, configuration, ready.awaits_update_root);
  } catch (error) {
    // Nothing of it is to wait for that root any more.
    await ask({ version: 1 }).catch(() => undefined);
    throw error;
  }
  const done = await ask(configuration);
  if (done.awaits_update_root === null) return { ...ready, awaits_update_root: null };
  await ask({ version: 1 });
  throw new CommandError(
    1,
    `The root of trust is in ${updateRootPath(places.hostFile)}, but the agent does not see it there: perhaps it was started with another --host-file. Nothing else was changed. Set STEWARD_HOST_FILE to that file, and apply again.`,
  );
}

/** While no agent runs, the state is changed as its owner, who cannot write files of root. */
function requireSameUser(before: number | undefined, now: number | undefined): void {
  if (before === now) return;
  throw new CommandError(
    8,
    "The agent does not run, and a root of trust can only be applied while it does. Nothing was changed. Start it (systemctl start steward), and apply again.",
  );
}

async function write(
  { context, places }: Invocation,
  { update_root }: Configuration,
  fingerprint: string,
): Promise<void> {
  const root = Array.isArray(update_root) ? update_root.at(-1) : update_root;
  const bytes = Buffer.from(`${JSON.stringify(root, undefined, 2)}\n`);
  // Root's own look at it: what the agent says does not decide whose updates count.
  const own = (await context.readRootOfTrust(bytes)).fingerprint;
  if (own !== fingerprint)
    throw new CommandError(1, `The agent awaits another root of trust than the file's: ${fingerprint}.`);
  await writeUpdateRoot(updateRootPath(places.hostFile), bytes);
}
