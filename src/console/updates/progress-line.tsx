import { useRef } from "preact/hooks";
import type { HistoryEntry, UpdateProgress, Updates, UpdateTrial } from "../../contract/types.ts";
import { bytes, shortDuration } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { deviceNow } from "../ui/device-time.ts";
import { Section } from "../ui/page.tsx";
import { Said } from "../ui/spoken.tsx";
import { Progress, type Step, Steps } from "../ui/steps.tsx";
import { Time } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { releaseName, summarySentence } from "./update-sentences.ts";

type Phase = Exclude<UpdateProgress["phase"], "idle">;

/** The way of a release, and the way back. */
const wayForward = ["checking", "downloading", "verifying", "installing", "confirming", "good"] as const;
const wayBack = ["rolling_back", "undone"] as const;

/** Milliseconds for which the end of an update still stands as its line of steps. */
const freshMilliseconds = 10 * 60_000;

/** The progress: one line of steps, how far it is and how long it may take; a reload in the middle shows the same. */
export function ProgressLine({
  status,
  progress,
  last,
}: {
  readonly status: Updates;
  readonly progress: UpdateProgress | null;
  /** The newest of the history. */
  readonly last: HistoryEntry | undefined;
}) {
  const phase = phaseOf(status, progress);
  const ended = phase === null && last && isFresh(last) ? last : null;
  return (
    <Section title={t.updates.happening}>
      <p role="status" class="updates-now">
        {ended ? endWords(ended) : headOf(status, phase, progress)}
      </p>
      {phase !== null && <Steps label={t.updates.happening} steps={stepsIn(phase, status, progress)} />}
      {ended && <Steps label={t.updates.happening} steps={stepsOfEnd(ended)} />}
      {phase === "downloading" && progress && <Download progress={progress} />}
      {phase !== null && status.trial && <Trial trial={status.trial} />}
      {phase !== null && phase !== "downloading" && phase !== "confirming" && (
        <p class="hint">{t.updates.takes}</p>
      )}
      <p class="hint">
        <Said sentence={summarySentence(status.summary)} />
      </p>
    </Section>
  );
}

/** null: nothing is under way. */
function phaseOf({ trial }: Updates, progress: UpdateProgress | null): Phase | null {
  const told = progress?.phase ?? trial?.phase ?? "idle";
  return told === "idle" ? null : told;
}

function isFresh({ at }: HistoryEntry): boolean {
  return Math.abs(deviceNow() - Date.parse(at)) < freshMilliseconds;
}

function stepsIn(phase: Phase, status: Updates, progress: UpdateProgress | null): readonly Step[] {
  const way: readonly string[] = phase === "rolling_back" ? wayBack : wayForward;
  const at = way.indexOf(phase);
  return way.map((key, index) => ({
    key,
    state: index < at ? "done" : index === at ? "now" : "ahead",
    text: `${wordOf(key)}${index === at ? howFar(phase, status, progress) : ""}`,
  }));
}

/** What a step is called. */
function wordOf(key: string): string {
  const steps: Readonly<Record<string, string>> = t.updates.steps;
  return steps[key] ?? key;
}

/** How updates are; while something is under way, the step that it is in. */
function headOf(status: Updates, phase: Phase | null, progress: UpdateProgress | null): string {
  const states: Readonly<Record<string, string>> = t.updates.states;
  return nameOf(status, progress) + wordOf(phase ?? states[status.state] ?? status.state);
}

/** The name of the work under way, in front of its progress. */
function nameOf({ trial }: Updates, progress: UpdateProgress | null): string {
  const name = trial ? releaseName(trial) : visible(progress?.name ?? "");
  return name && `${name}: `;
}

function howFar(phase: Phase, { trial }: Updates, progress: UpdateProgress | null): string {
  if (phase === "confirming" && trial)
    return ` (${t.updates.of(trial.health.successes, trial.health.needed)})`;
  if (phase === "downloading" && progress?.total_bytes)
    return ` (${t.updates.of(bytes(progress.done_bytes), bytes(progress.total_bytes))})`;
  return "";
}

function stepsOfEnd({ outcome }: HistoryEntry): readonly Step[] {
  const step = (key: string, state: Step["state"]): Step => ({ key, text: wordOf(key), state });
  if (outcome === "good") return wayForward.map((key) => step(key, "done"));
  if (outcome === "refused")
    return [step("checking", "done"), step("downloading", "done"), step("verifying", "failed")];
  const failed = outcome === "rolled_back" ? [] : [step("confirming", "failed")];
  return [...failed, ...wayBack.map((key) => step(key, "done"))];
}

/** How an attempt has ended, in a sentence. */
export function endWords(entry: HistoryEntry): string {
  return `${releaseName(entry)}: ${t.updates.outcomes[entry.outcome]}`;
}

function Download({ progress: { release_id, done_bytes, total_bytes } }: { progress: UpdateProgress }) {
  const first = useRef({ id: "", at: 0, bytes: 0 });
  const now = performance.now();
  if (first.current.id !== release_id) first.current = { id: release_id ?? "", at: now, bytes: done_bytes };
  if (total_bytes === null) return null;
  const seconds = (now - first.current.at) / 1_000;
  const perSecond = (done_bytes - first.current.bytes) / seconds;
  const left = (total_bytes - done_bytes) / perSecond;
  return (
    <p class="updates-download">
      <Progress label={t.updates.steps.downloading} value={done_bytes} of={total_bytes} />
      {seconds > 2 && perSecond > 0 && (
        <span class="hint"> {t.updates.left(shortDuration(Math.ceil(left)))}</span>
      )}
    </p>
  );
}

/** The trial of a release: by when it has to be healthy, and what it answered last. */
function Trial({ trial: { health, deadline_at, phase } }: { readonly trial: UpdateTrial }) {
  return (
    <p>
      {deadline_at !== null && phase === "confirming" && (
        <>
          {t.updates.healthyBy} <Time at={deadline_at} />
          {" · "}
        </>
      )}
      {health.last !== null && (
        <>
          {t.updates.lastAnswer} {t.updates.answers[health.last.code]}
        </>
      )}
    </p>
  );
}
