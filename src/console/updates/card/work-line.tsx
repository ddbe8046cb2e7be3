import { useEffect, useRef, useState } from "preact/hooks";
import type { UpdateProgress, Updates, UpdateTrial } from "../../../contract/types.ts";
import { bytes, countdown, shortDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { deviceNow } from "../../client/device-time.ts";
import { type Step, Steps } from "../../ui/steps.tsx";
import { visible } from "../../ui/visible.ts";
import { dueWords, releaseName } from "../update-sentences.ts";
import type { Work } from "./card-state.ts";

/** The way of a release, and the way back. */
const wayForward = ["downloading", "verifying", "installing", "confirming"] as const;
const wayBack = ["rolling_back", "watching_former"] as const;

/** Shows the work on one kind: its name, its steps, its duration, and the version that a failure brings back. */
export function WorkLine({
  work,
  ended,
  status,
  former,
}: {
  readonly work: Work | null;
  readonly ended: string;
  readonly status: Updates;
  /** The version that runs until this one is good. */
  readonly former: string | null;
}) {
  const trial = status.trial?.id === work?.id ? status.trial : null;
  const progress = work === null ? null : status.progress;
  const step = work && stepOf(work, trial);
  return (
    <div class={work === null ? "unseen" : "updates-work"}>
      {work && step && <Steps label={t.ui.progress} steps={stepsOf(step, trial, progress)} />}
      <p>
        {/* Steps are said as they come; the seconds are not. */}
        <span role="status" class="updates-now">
          {work && step ? `${releaseName(work)}: ${t.updates.steps[step]}` : ended}
        </span>
        {work && <Facts work={work} trial={trial} former={former} />}
      </p>
      {work?.phase === "downloading" && progress && <Download progress={progress} />}
      {work && trial && <Trial trial={trial} />}
    </div>
  );
}

type StepKey = (typeof wayForward)[number] | (typeof wayBack)[number];

function stepOf({ phase }: Work, trial: UpdateTrial | null): StepKey {
  return phase === "rolling_back" && trial?.next.code === "watch_former" ? "watching_former" : phase;
}

function stepsOf(step: StepKey, trial: UpdateTrial | null, progress: UpdateProgress | null): readonly Step[] {
  const way: readonly StepKey[] = wayForward.some((one) => one === step) ? wayForward : wayBack;
  const at = way.indexOf(step);
  return way.map((key, index) => ({
    key,
    state: index < at ? "done" : index === at ? "now" : "ahead",
    text: `${t.updates.steps[key]}${index === at ? howFar(key, trial, progress) : ""}`,
  }));
}

function howFar(step: StepKey, trial: UpdateTrial | null, progress: UpdateProgress | null): string {
  if (step === "confirming" && trial)
    return ` (${t.updates.checksOf(trial.health.successes, trial.health.needed)})`;
  if (step === "downloading" && progress?.total_bytes)
    return ` (${t.updates.of(bytes(progress.done_bytes), bytes(progress.total_bytes))})`;
  return "";
}

/** The time that the work has taken, and the version that a failure brings back. */
function Facts({
  work,
  trial,
  former,
}: {
  readonly work: Work;
  readonly trial: UpdateTrial | null;
  readonly former: string | null;
}) {
  const begun = useBegun(work, trial);
  useSeconds();
  const isForward = work.phase !== "rolling_back";
  return (
    <>
      <span aria-hidden="true">
        {" · "}
        {countdown(Math.max(0, (deviceNow() - begun) / 1_000))}
      </span>
      {isForward && former !== null && ` · ${t.updates.comesBack(visible(former))}`}
    </>
  );
}

/** Milliseconds since 1970: when it began, or was first seen here. */
function useBegun({ id }: Work, trial: UpdateTrial | null): number {
  const seen = useRef({ id, at: deviceNow() });
  if (seen.current.id !== id) seen.current = { id, at: deviceNow() };
  return trial ? Date.parse(trial.begun_at) : seen.current.at;
}

/** Draws the component again each second. */
function useSeconds(): void {
  const [, draw] = useState({});
  useEffect(() => {
    const timer = setInterval(() => draw({}), 1_000);
    return () => clearInterval(timer);
  }, []);
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
      <progress aria-label={t.updates.steps.downloading} value={done_bytes} max={total_bytes} />
      {seconds > 2 && perSecond > 0 && (
        <span class="hint"> {t.updates.left(shortDuration(Math.ceil(left)))}</span>
      )}
    </p>
  );
}

/** The trial of a release: by when it has to be healthy, and what it answered last. */
function Trial({ trial: { health, deadline_at, phase } }: { readonly trial: UpdateTrial }) {
  if (phase !== "confirming") return null;
  return (
    <p class="hint">
      {deadline_at !== null && `${t.updates.healthyBy} ${dueWords(deadline_at)}`}
      {health.last !== null && ` · ${t.updates.lastAnswer} ${t.updates.answers[health.last.code]}`}
    </p>
  );
}
