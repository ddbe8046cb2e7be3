import type { SetAsideRelease, Updates } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { OnlyExitCode } from "../../terminal/command-error.ts";
import type { Command } from "../client/command.ts";
import { apply, kindsOf, kindsPositional, rollback, selected } from "./update-apply.ts";
import { exitOf, updateExitCodes } from "./update-ends.ts";
import { beginCheck, followUpdates, refuseFailed } from "./update-following.ts";
import { history } from "./update-history.ts";
import { orderCommands } from "./update-orders.ts";
import { checkRepository, repositoryOrFileOption } from "./update-repository.ts";
import { trustCommands } from "./update-trust.ts";
import { checkReport, updateReport } from "./update-view.ts";
import { releaseWords } from "./update-words.ts";

const status: Command = {
  path: ["update", "status"],
  summary: "Show installed, available and tried releases, and when the next check is",
  worksOffline: true,
  async run({ client, output }) {
    const updates = await client.call("getUpdates", {});
    await output.report(updates, updateReport(updates));
  },
};

const check: Command = {
  path: ["update", "check"],
  summary: "Check for updates now, download and apply what the settings allow",
  exitCodes: updateExitCodes,
  options: [repositoryOrFileOption, { name: "no-wait", summary: "return without waiting for the result" }],
  worksOffline: true,
  async run(invocation) {
    const { client, options, output } = invocation;
    const isFollowed = !options.has("no-wait");
    const isServer = options.text("repo") === undefined;
    const before = isFollowed && isServer ? await client.call("getUpdates", {}) : undefined;
    const begin = (): Promise<Updates> => beginCheck(invocation, () => checkRepository(invocation));
    const begun = await begin();
    if (!isFollowed)
      return output.changed(begun, "The check has begun; `steward update status` shows the result.");
    let ended = await followUpdates(invocation, begun, isAppliedNext);
    // The scheduled check that it has joined may have read the server before the newest release was there.
    const joined = before?.schedule.check_id;
    if (joined !== undefined && joined === begun.schedule.check_id)
      ended = await followUpdates(invocation, await begin(), isAppliedNext);
    refuseFailed(ended);
    await output.report(ended, checkReport(ended));
    const undone = undoneSince(begun, ended);
    // The report begins with it where nothing else has come up since.
    if (ended.state !== "rolled_back")
      for (const release of undone)
        await output.remark(`${releaseWords(release)} was applied and undone. ${release.reason.detail}`);
    const exit = undone.length > 0 ? 1 : exitOf(ended, updateKinds);
    if (exit !== 0) throw new OnlyExitCode(exit);
  },
};

/** Releases that the check has applied and that were undone since. */
function undoneSince(begun: Updates, ended: Updates): SetAsideRelease[] {
  const before = [...begun.failed, ...begun.held];
  const isNew = ({ id, at }: SetAsideRelease) => !before.some((one) => one.id === id && one.at === at);
  return [...ended.failed, ...ended.held].filter(isNew);
}

/** A staged release without a hold is applied in a moment. */
function isAppliedNext({ state, available }: Updates): boolean {
  if (state !== "staged") return false;
  return [available.rules, available.binary].some((release) => release?.staged && release.hold === null);
}

const postpone: Command = {
  path: ["update", "postpone"],
  summary: "Postpone the automatic application of available releases",
  positionals: [kindsPositional],
  options: [
    {
      name: "for",
      value: "DURATION",
      summary: "5m to 30d, such as 12h; 1d if not given; 0s ends a postponement",
    },
  ],
  worksOffline: true,
  async run(invocation) {
    const { options, client, output } = invocation;
    const kind = kindsOf(invocation);
    const duration = options.text("for");
    const body = { kind, ...(duration === undefined ? {} : { for: duration }) };
    const status = await client.call("postponeUpdate", { body });
    const postponed = selected(kind).filter((one) => status.postponed[one] !== null);
    const until = postponed.map((one) => `${one} before ${status.postponed[one]}`);
    const sentence =
      until.length === 0
        ? "Not postponed any longer."
        : `Not applied automatically: ${until.join(", ")}. \`steward update apply\` applies them anyway.`;
    await output.changed(status, sentence);
  },
};

const dismiss: Command = {
  path: ["update", "dismiss"],
  summary: "End the need that a failed update is; a later failure is a new one",
  positionals: [kindsPositional],
  worksOffline: true,
  async run(invocation) {
    const { client, output } = invocation;
    let status = await client.call("getUpdates", {});
    const kinds = selected(kindsOf(invocation));
    const newest = kinds.flatMap(
      (kind) => status.failed.findLast((one) => one.kind === kind && one.state === "open") ?? [],
    );
    // Each ends those of its kind that failed before it.
    for (const { id } of newest) {
      status = await client.call("dismissFailedUpdate", { body: { release_id: id } });
    }
    const sentence =
      newest.length === 0
        ? "No failed update waits for a person."
        : `Dismissed: ${newest.map(releaseWords).join(", ")}. It stays on the blocklist, and \`steward update status\` shows it.`;
    await output.changed(status, sentence);
  },
};

export const updateCommands: readonly Command[] = [
  status,
  check,
  apply,
  rollback,
  postpone,
  dismiss,
  ...orderCommands,
  history,
  ...trustCommands,
];
