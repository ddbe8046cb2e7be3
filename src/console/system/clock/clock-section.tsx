import { useState } from "preact/hooks";
import { clockWordOf } from "../../../contract/clock-word.ts";
import type { TimeSync } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { type ClockResource, clockColours } from "../../frame/clock-state.tsx";
import { isOneOf } from "../../session/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useIsAway } from "../../ui/connection-state.tsx";
import { Empty, Section, Skeleton } from "../../ui/page.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import { Spoken } from "../../ui/spoken.tsx";
import { BrowserTimeDialog } from "./browser-time-dialog.tsx";
import { type ClockActions, useClockActions } from "./clock-actions.ts";
import { ClockFacts } from "./clock-facts.tsx";
import { ClockProblem } from "./clock-problem.tsx";
import { isNobodyAsked, nobodyInWords, offsetWithUncertainty } from "./clock-words.ts";
import { CoursePicture } from "./course-picture.tsx";
import { SourcesPicture } from "./sources-picture.tsx";
import { SourcesTable } from "./sources-table.tsx";
import { Unvouched } from "./unvouched.tsx";

/** How the clock is, as words, as a picture and as figures, and what mends it. */
export function ClockSection({ clock }: { readonly clock: ClockResource }) {
  const actions = useClockActions(clock);
  const isAway = useIsAway();
  const { value: status } = clock;
  if (status === null)
    return (
      <Section title={t.clock.title}>
        {clock.error === null ? <Skeleton lines={12} /> : <ProblemView error={clock.error} />}
      </Section>
    );
  const word = isAway ? "unknown" : clockWordOf(status);
  const more = (t.clock.states as Readonly<Record<string, string>>)[status.state];
  return (
    <Section
      title={t.clock.title}
      action={isOneOf("admin", "operator") && <Buttons status={status} actions={actions} />}
    >
      <p class="clock-head">
        <Badge state={clockColours[word]}>{t.frame.clockWords[word]}</Badge>
        {more && <Badge state={status.state === "faulty" ? "wrong" : "unknown"}>{more}</Badge>}
        <Badge state={status.trust === "none" ? "attention" : "good"}>{t.clock.trusts[status.trust]}</Badge>
        {status.offset_seconds !== null && (
          <strong>
            {t.clock.device(offsetWithUncertainty(status.offset_seconds, status.uncertainty_seconds))}
          </strong>
        )}
      </p>
      <p>
        <Spoken text={status.message} />
      </p>
      <p class="clock-progress" role="status">
        {actions.answers !== null && t.clock.asking(status.sources.length, actions.answers)}
      </p>
      <ClockProblem actions={actions} status={status} />
      <Unvouched status={status} />
      <ClockFacts status={status} />
      <Pictures status={status} />
    </Section>
  );
}

function Buttons({ status, actions }: { readonly status: TimeSync; readonly actions: ClockActions }) {
  const [isAsking, setIsAsking] = useState(false);
  const { sync, reselect } = actions;
  const why = isNobodyAsked(status) ? nobodyInWords(status) : null;
  return (
    <>
      <Button
        kind="primary"
        isBusy={sync.isBusy}
        why={reselect.isBusy ? t.clock.whyBusy : why}
        onClick={() => {
          reselect.forget();
          void sync.run();
        }}
      >
        {t.clock.sync}
      </Button>
      <Button
        isBusy={reselect.isBusy}
        why={sync.isBusy ? t.clock.whyBusy : why}
        onClick={() => {
          sync.forget();
          void reselect.run();
        }}
      >
        {t.clock.reselect}
      </Button>
      {isOneOf("admin") && (
        <Button why={whyNotByHand(status)} onClick={() => setIsAsking(true)}>
          {t.clock.byBrowser}
        </Button>
      )}
      {isAsking && <BrowserTimeDialog actions={actions} onClose={() => setIsAsking(false)} />}
    </>
  );
}

/** As the agent judges it; null: nobody better keeps the clock. */
function whyNotByHand({ mode, trust, state }: TimeSync): string | null {
  if (mode === "manual" || trust === "none" || state === "manual") return null;
  return t.clock.whyKept;
}

function Pictures({ status }: { readonly status: TimeSync }) {
  const { sources } = status;
  return (
    <>
      <div class="clock-pictures">
        <div>
          <h3>{t.clock.sources}</h3>
          {sources.length === 0 ? (
            <Empty>{isNobodyAsked(status) ? nobodyInWords(status) : t.clock.noCourse}</Empty>
          ) : (
            <>
              <SourcesPicture status={status} />
              <p class="hint">{t.clock.legend}</p>
            </>
          )}
        </div>
        <div>
          <h3>{t.clock.course}</h3>
          <CoursePicture status={status} />
        </div>
      </div>
      {sources.length > 0 && <SourcesTable sources={sources} />}
    </>
  );
}
