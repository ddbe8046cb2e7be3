import { readKeysAtHand } from "../../src/publishing/private-keys.ts";
import { publish } from "../../src/publishing/publish.ts";
import { withWorkspace } from "../../src/publishing/workspace.ts";
import { useOpenSsl } from "../updates/lab/quick-ed25519.ts";

// Publishes DIRECTORY as it was at TIME, as a process to be killed in the middle: `DIRECTORY TIME`.
const [directory = "", time = ""] = process.argv.slice(2);
useOpenSsl();
const surroundings = { now: () => new Date(time), askPassphrase: async () => "" };
await withWorkspace(directory, surroundings, async (workspace) => {
  const { keys } = await readKeysAtHand(workspace.keys);
  await publish(workspace, keys);
});
