import { useOpenSsl } from "../../lab/publisher/quick-ed25519.ts";
import { discardDrafts, planDiscard } from "../../src/publishing/drafts/discard.ts";
import { readKeysAtHand } from "../../src/publishing/keys/private-keys.ts";
import { planPruning, prune } from "../../src/publishing/prune/prune.ts";
import { publish } from "../../src/publishing/publish.ts";
import { readState } from "../../src/publishing/state.ts";
import { withWorkspace } from "../../src/publishing/workspace.ts";

// Works on DIRECTORY as it was at TIME, as a process to be killed in the middle: `DIRECTORY TIME WHAT`, where WHAT is
// publish, only-rules, discard or prune.
const [directory = "", time = "", what = ""] = process.argv.slice(2);
useOpenSsl();
const surroundings = { now: () => new Date(time), askPassphrase: async () => "" };
await withWorkspace(directory, surroundings, async (workspace) => {
  const { keys } = await readKeysAtHand(workspace.keys);
  if (what === "discard") {
    const state = await readState(workspace);
    await discardDrafts(workspace, state, { discarded: planDiscard(workspace, state), keys });
  } else if (what === "prune") {
    // When every timestamp of today has expired, so that files are removed.
    const later = { ...workspace, now: () => new Date("2999-01-01T00:00:00Z") };
    await prune(later, await planPruning(later, { kinds: ["rules"], keep: 1, keepVersions: [] }), keys);
  } else await publish(workspace, keys, what === "only-rules" ? { only: ["rules"] } : {});
});
