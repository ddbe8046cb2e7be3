import { setTimeout as delay } from "node:timers/promises";
import { StewardError } from "../contract/errors.ts";
import { releaseRoles } from "../publishing/roles.ts";
import { type Halted, type HaltMeans, haltRollout } from "../publishing/rollout/halt.ts";
import { type HaltRule, judgeRollouts } from "../publishing/rollout/halt-rule.ts";
import { LogFile } from "../publishing/rollout/log-file.ts";
import type { ScrapeTargets } from "../publishing/rollout/scrape-targets.ts";
import { type CountBy, type ReleaseFigures, Tally, watchedReleases } from "../publishing/rollout/tally.ts";
import { readState } from "../publishing/state.ts";
import { openWorkspace, type Workspace } from "../publishing/workspace.ts";
import { CommandError } from "../terminal/command-error.ts";
import type { Command, Invocation } from "../terminal/commands/command.ts";
import { escapeText, joinLines } from "../terminal/escape.ts";
import { onWorkspace, secondsIn, signingOptions, surroundingsOf, wholeNumberIn } from "./repository.ts";
import { targetFileOf, targetFileOptions } from "./watch-targets.ts";
import { haltLines, reasonOf, tableOf, verdictLines } from "./watch-view.ts";

export const watchCommand: Command = {
  path: ["watch"],
  summary: "Follow roll-outs in a web server's access log, and stop one that fails; exit code 10 if stopped",
  positionals: [{ name: "ACCESS.LOG" }, { name: "DIR", isOptional: true }],
  options: [
    {
      name: "halt-at",
      value: "PERCENT",
      summary:
        "stop the newest release when this share of the devices that tried it have undone it, such as 2%",
    },
    {
      name: "min-devices",
      value: "N",
      summary:
        "but only when at least this many have undone it; if not given, enough to rule out chance, and at least 5",
    },
    {
      name: "count",
      value: "WHAT",
      values: ["devices", "addresses"],
      summary: "what counts as one: a device, or all devices of one address; devices if not given",
    },
    {
      name: "with",
      value: "MEANS",
      values: ["pause", "withdraw"],
      summary: "pause, which `resume` ends, or withdraw; pause if not given",
    },
    {
      name: "silent-after",
      value: "DURATION",
      summary:
        "count devices as undone if they had the release, or could start it, and have not reported for this long; if not given, they are shown after 24h, but not counted",
    },
    {
      name: "rotated",
      summary: "first read the rotated files beside the log, such as ACCESS.LOG.1 and ACCESS.LOG.2.gz",
    },
    { name: "once", summary: "read the log to its end and stop, instead of waiting for more" },
    ...targetFileOptions,
    ...signingOptions,
  ],
  async run(invocation) {
    const { options } = invocation;
    for (const option of ["min-devices", "with"])
      if (options.has(option) && !options.has("halt-at"))
        throw new CommandError(2, `--${option} is for --halt-at.`);
    const [path = ""] = invocation.positionals;
    const log = new LogFile(path, {
      withRotated: options.has("rotated"),
      elapsedSeconds: () => performance.now() / 1_000,
    });
    try {
      await watch(invocation, log, ruleOf(invocation));
    } finally {
      await log.close();
    }
  },
};

/** null: nothing is stopped. Throws CommandError(6). */
function ruleOf({ options }: Invocation): HaltRule | null {
  const share = options.text("halt-at");
  const least = options.text("min-devices");
  if (share === undefined) return null;
  const percent = Number(/^(\d{1,3}(?:\.\d{1,3})?)%?$/.exec(share)?.[1] ?? Number.NaN);
  if (!(percent > 0 && percent <= 100))
    throw new CommandError(
      6,
      escapeText(`--halt-at takes a share above 0 and up to 100, such as 2%, not "${share}".`),
    );
  return { percent, least: least === undefined ? null : wholeNumberIn(least, "min-devices", 1, 9_999_999) };
}

/** Four of the usual checks. */
const usualSilenceSeconds = 24 * 3_600;

/** Milliseconds between two looks at the log. */
const pollMilliseconds = 1_000;

/** The share of a processor that looks may take: with a million devices, or 5,000 releases, each takes half a second. */
const mostLoad = 0.05;

/** Milliseconds between two tables, where nothing is stopped. */
const tableMilliseconds = 60_000;

async function watch(invocation: Invocation, log: LogFile, rule: HaltRule | null): Promise<void> {
  const { options, context, output } = invocation;
  const directory = directoryOf(invocation);
  const workspace = await openWorkspace(directory, surroundingsOf(invocation));
  const targets = targetFileOf(invocation);
  const tally = tallyOf(invocation, targets?.targets);
  const ending = options.has("once") ? AbortSignal.abort() : context.interruption();
  if (rule !== null) await remarkDrafts(invocation, workspace);
  let shown = { text: "", at: Number.NEGATIVE_INFINITY };
  for (;;) {
    const began = performance.now();
    // Before the lines are read: reports of a release that is not watched count as foreign.
    tally.watch(watchedReleases((await readState(workspace)).published));
    const watched = performance.now();
    await log.read((line) => tally.addLine(line));
    const read = performance.now();
    await targets?.write(ending.aborted);
    const figures = tally.figures();
    const lookMilliseconds = watched - began + (performance.now() - read);
    const verdicts = rule === null ? null : judgeRollouts(figures, rule);
    const bad = (verdicts ?? []).filter(({ halts }) => halts).map(({ release }) => release);
    const text = `${tableOf(figures, tally.log())}${verdictLines(verdicts, tally.log())}`;
    const isDue = bad.length > 0 || ending.aborted || performance.now() - shown.at >= tableMilliseconds;
    if (isDue && text !== shown.text) {
      const document = { releases: figures, log: tally.log(), ...(verdicts && { verdicts }) };
      await output.report(document, text);
      shown = { text, at: performance.now() };
    }
    if (bad.length > 0 && (await halted(invocation, bad))) return;
    if (ending.aborted) return;
    const pause = Math.max(pollMilliseconds, lookMilliseconds / mostLoad);
    await delay(pause, undefined, { signal: ending }).catch(() => undefined);
  }
}

function tallyOf(invocation: Invocation, targets: ScrapeTargets | undefined): Tally {
  const { options } = invocation;
  const wanted = "a duration from 1m on, such as 24h or 3d";
  const text = options.text("silent-after");
  return new Tally({
    countBy: options.text("count") === "addresses" ? "addresses" : ("devices" satisfies CountBy),
    silentAfterSeconds:
      text === undefined ? usualSilenceSeconds : secondsIn(text, "silent-after", wanted, [60, Infinity]),
    countsSilent: options.has("silent-after"),
    ...(targets && { onReport: (line, report) => targets.add(line, report) }),
  });
}

function directoryOf({ positionals }: Invocation): string {
  return positionals[1] ?? ".";
}

/** A halt publishes only its own change: a draft that waits for a signature would stop it. */
async function remarkDrafts(invocation: Invocation, workspace: Workspace): Promise<void> {
  const { drafts } = await readState(workspace);
  for (const role of releaseRoles.filter((one) => drafts[one] !== null))
    await invocation.output.remark(
      `A draft of ${role} waits: a halt of ${role} would be drafted with it, and not be published. Publish or discard it first.`,
    );
}

/** False: another command is changing the repository; the next look tries again. Otherwise throws CommandError(10). */
async function halted(invocation: Invocation, bad: readonly ReleaseFigures[]): Promise<boolean> {
  const { options, output } = invocation;
  const directory = directoryOf(invocation);
  const means: HaltMeans = options.text("with") === "withdraw" ? "withdraw" : "pause";
  try {
    const { done, holders } = await onWorkspace(
      invocation,
      async (workspace, keys) => {
        const all: Halted[] = [];
        for (const release of bad)
          all.push(await haltRollout(workspace, release, { means, reason: reasonOf(release), keys }));
        return { done: all, holders: workspace };
      },
      [directory],
    );
    await output.changed(done, joinLines(done.flatMap((one) => haltLines(one, means, holders))));
  } catch (error) {
    if (!(error instanceof StewardError) || error.code !== "state_locked" || options.has("once")) throw error;
    await output.remark(error.message);
    return false;
  }
  throw new CommandError(
    10,
    `A roll-out was stopped: ${bad.map((one) => `${one.name} ${one.version}`).join(", ")}. Find the fault before it continues.`,
  );
}
