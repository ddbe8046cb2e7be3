import type { ComponentChildren } from "preact";
import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { clockWordOf } from "../../../contract/clock-word.ts";
import type { TimeSync } from "../../../contract/types.ts";
import { absoluteTime, shortDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { type ClockResource, clockColours } from "../../frame/clock-state.tsx";
import { Link } from "../../navigation/link.tsx";
import { isOneOf } from "../../session/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useIsAway } from "../../ui/connection-state.tsx";
import { deviceNow } from "../../ui/device-time.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { Empty, Facts, Section, Skeleton } from "../../ui/page.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import { Said } from "../../ui/spoken.tsx";
import { Time } from "../../ui/time.tsx";
import { type ClockActions, useClockActions } from "./clock-actions.ts";
import { ClockProblem } from "./clock-problem.tsx";
import { clockSentences } from "./clock-sentences.ts";
import {
  browserInWords,
  isUnpolled,
  offsetWithUncertainty,
  stepInWords,
  whyUnpolled,
} from "./clock-words.ts";
import { CoursePicture } from "./course-picture.tsx";
import { SourcesPicture } from "./sources-picture.tsx";
import { SourcesTable } from "./sources-table.tsx";

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
        {clockSentences(status).map((sentence) => (
          <Fragment key={sentence.text}>
            <Said sentence={sentence} />{" "}
          </Fragment>
        ))}
      </p>
      <p class="clock-progress" role="status">
        {actions.answers !== null && t.clock.asking(status.sources.length, actions.answers)}
      </p>
      <ClockProblem actions={actions} status={status} />
      <Untrusted status={status} />
      <ClockFacts status={status} />
      <Pictures status={status} />
    </Section>
  );
}

function Buttons({ status, actions }: { readonly status: TimeSync; readonly actions: ClockActions }) {
  const [isAsking, setIsAsking] = useState(false);
  const { sync, reselect } = actions;
  const why = isUnpolled(status) ? whyUnpolled(status) : null;
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

/** As the agent decides it; null: the clock may be set by hand. */
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
            <Empty>{isUnpolled(status) ? whyUnpolled(status) : t.clock.noCourse}</Empty>
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

/** Asks before the clock is set to this browser's, with both of them in sight. */
function BrowserTimeDialog({
  actions,
  onClose,
}: {
  readonly actions: ClockActions;
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={t.clock.byBrowserTitle}
      verb={t.clock.byBrowserVerb}
      onConfirm={actions.setByBrowser}
      onClose={onClose}
    >
      <p>
        {t.signIn.clockDiffers(absoluteTime(new Date(deviceNow())), absoluteTime(new Date()))}{" "}
        {t.clock.facts.browser}: {browserInWords()}.
      </p>
      <p>{t.clock.byBrowserText}</p>
    </ConfirmDialog>
  );
}

/** The figures behind the sentence. */
function ClockFacts({ status }: { readonly status: TimeSync }) {
  const { source, discipliner, last_step, leap, poll_seconds } = status;
  const items: (readonly [string, ComponentChildren] | false)[] = [
    [t.clock.facts.deviceTime, absoluteTime(new Date(status.server_time))],
    [t.clock.facts.browser, browserInWords()],
    [
      t.clock.columns.source,
      source === null ? t.clock.none : source.type === "manual" ? t.clock.aPerson : source.host,
    ],
    [t.clock.facts.keptBy, discipliner.name ?? t.clock.none],
    [t.clock.facts.lastSync, <Time key="sync" at={status.last_sync_at} />],
    poll_seconds !== null &&
      !isUnpolled(status) && [t.clock.facts.poll, t.clock.every(shortDuration(poll_seconds))],
    last_step !== null && [
      t.clock.facts.lastStep,
      <>
        {stepInWords(last_step.seconds)}, <Time at={last_step.at} />
      </>,
    ],
    (leap === "insert" || leap === "delete") && [t.clock.facts.leap, leap],
  ];
  return (
    <div class="clock-facts">
      <Facts items={items.filter((item) => item !== false)} />
    </div>
  );
}

/** What does not work while the clock is not trusted, and how to change that. */
function Untrusted({ status }: { readonly status: TimeSync }) {
  // It is being found out at this moment; the badge says so.
  if (status.trust !== "none" || status.state === "acquiring") return null;
  const isAlone = isUnpolled(status);
  return (
    <div class="clock-untrusted">
      <h3>{t.clock.broken}</h3>
      <ul>
        {t.clock.brokenThings().map((thing) => (
          <li key={thing}>{thing}</li>
        ))}
      </ul>
      <h3>{t.clock.waysOut}</h3>
      <ul>
        <li>
          {isAlone ? whyUnpolled(status) : t.clock.wayBySync}{" "}
          {isAlone && <Link to="/system/settings">{t.clock.toSettings}</Link>}
        </li>
        <li>{t.clock.wayByBrowser}</li>
      </ul>
    </div>
  );
}
