import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Command, Invocation } from "./command.ts";
import { OnlyExitCode } from "./context.ts";
import { requireLocal } from "./places.ts";
import { followCheck, refuseFailed } from "./update-following.ts";
import { trustCommands } from "./update-trust.ts";
import { checkReport, updateReport } from "./update-view.ts";

/** contract/error-codes.ts: the clock is not synchronised. */
const notSynchronised = 9;

const status: Command = {
  path: ["update", "status"],
  summary: "Say what is installed, what there is, and when it is looked for again",
  positionals: [],
  options: [],
  worksOffline: true,
  async run({ client, output }) {
    const updates = await client.call("getUpdates", {});
    await output.report(updates, updateReport(updates));
  },
};

const check: Command = {
  path: ["update", "check"],
  summary:
    "Look for updates now, and fetch what may be fetched; exit 9 while the clock must be put right first",
  positionals: [],
  options: [
    {
      name: "repo",
      value: "DIR",
      isFile: true,
      summary: "a repository on this device instead, such as a USB stick",
    },
    { name: "no-wait", summary: "begin, and do not wait for the end" },
  ],
  worksOffline: true,
  async run(invocation) {
    const { options, client, output } = invocation;
    const body = repositoryOf(invocation);
    const begun = await client.call("checkForUpdates", { body });
    if (options.has("no-wait"))
      return output.changed(begun, "The check has begun; `steward update status` says how it ends.");
    const ended = await followCheck(invocation, begun);
    refuseFailed(ended);
    await output.report(ended, checkReport(ended));
    if (ended.state === "waiting_for_clock") throw new OnlyExitCode(notSynchronised);
  },
};

export const updateCommands: readonly Command[] = [status, check, ...trustCommands];

function repositoryOf({ options, places }: Invocation): { repository?: string } {
  const directory = options.text("repo");
  if (directory === undefined) return {};
  requireLocal(places, "update check --repo");
  return { repository: pathToFileURL(resolve(directory)).href };
}
