import { withdrawRelease } from "../add.ts";
import type { SigningKey } from "../keys/private-keys.ts";
import type { Count } from "../keys/signing.ts";
import { publish } from "../publish.ts";
import { readState } from "../state.ts";
import type { Workspace } from "../workspace.ts";
import { pauseRelease } from "./pause.ts";
import type { ReleaseFigures } from "./tally.ts";

export type HaltMeans = "pause" | "withdraw";

export type Halted = Awaited<ReturnType<typeof haltRollout>>;

/**
 * Pauses or withdraws a release in the channels in which it is the newest, and publishes only that. Without a signature,
 * or with a draft of its kind that waits, the change is drafted, and a person publishes it.
 */
export async function haltRollout(
  workspace: Workspace,
  release: ReleaseFigures,
  { means, reason, keys }: { means: HaltMeans; reason: string; keys: readonly SigningKey[] },
) {
  const { kind, name, version, newestIn } = release;
  // Other changes of the draft are not published unasked.
  const hasOtherChanges = (await readState(workspace)).drafts[kind] !== null;
  /** Signatures that the draft needs before it can be published. */
  let lacking: readonly Count[] = [];
  for (const channel of newestIn) {
    const selection = { kind, name, version, channel };
    const added =
      means === "pause"
        ? await pauseRelease(workspace, { selection, keys })
        : await withdrawRelease(workspace, { selection, reason, keys });
    lacking = added.lacking;
  }
  const canPublish = lacking.length === 0 && !hasOtherChanges;
  const published = canPublish ? await publish(workspace, keys, { only: [kind] }) : null;
  return {
    release,
    /** null: it is drafted, and waits for a person. */
    published,
    lacking,
    hasOtherChanges,
  };
}
