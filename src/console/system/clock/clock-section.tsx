import { Fragment } from "preact";
import { useState } from "preact/hooks";
import { type ClockWord, clockWordOf } from "../../../contract/clock/clock-word.ts";
import type { TimeSync } from "../../../contract/types.ts";
import { absoluteTime } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { isBefore } from "../../client/device-time.ts";
import { codeOf } from "../../client/problem.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { clockHow, needsAbout } from "../../needs/how.ts";
import { needInWords } from "../../needs/need-words.ts";
import { isOneOf } from "../../session/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, type ButtonProps } from "../../ui/button.tsx";
import { useIsAway } from "../../ui/connection-state.tsx";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { bodyOf, Section, Skeleton } from "../../ui/page.tsx";
import { ProblemView, ReadProblem } from "../../ui/problem-view.tsx";
import { Said } from "../../ui/spoken.tsx";
import { type ClockProps, useClockActions } from "./clock-actions.ts";
import { headOf, supplementarySentences } from "./clock-sentences.ts";
import { differenceInWords, isUnpolled, offsetInWords, whyUnpolled } from "./clock-words.ts";
import { SourcesPicture } from "./sources-picture.tsx";

/** The clock as a sentence, its sources in a picture, and more behind a fold, with the buttons that put it right. */
export function ClockSection() {
  const clock = useResource("getTimeSync");
  const actions = useClockActions(clock);
  const isAway = useIsAway();
  const { value: status } = clock;
  const needs = useResource("getStatus").value?.needs ?? null;
  if (status === null)
    return (
      <Section title={t.home.clock}>
        {clock.error === null ? <Skeleton lines={6} /> : <ReadProblem of={[clock]} />}
      </Section>
    );
  const word = isAway ? "unknown" : clockWordOf(status);
  const isWrong = isInDoubt(status, word);
  const more = (t.clock.states as Readonly<Record<string, string>>)[status.state];
  const { state } = clockHow(word, needs);
  const shownCode = codeOf(actions.sync.error ?? actions.reselect.error);
  const sentences = supplementarySentences(status, shownCode);
  const unsaid =
    sentences.length === 0
      ? needsAbout("clock", needs ?? []).flatMap((need) => needInWords(need)?.text ?? [])
      : [];
  return (
    <Section title={t.home.clock}>
      <div class="clock-top line between">
        <div>
          <p class="clock-head line">
            <strong>
              <Badge state={state}>{headOf(status, word)}</Badge>
            </strong>
            {more && <Badge state={state}>{more}</Badge>}
            {status.trust !== "trusted" && <Badge state={state}>{t.clock.trusts[status.trust]}</Badge>}
          </p>
          <p>
            {[...sentences, ...unsaid].map((sentence) => (
              <Fragment key={sentence.text}>
                <Said sentence={sentence} />{" "}
              </Fragment>
            ))}
          </p>
        </div>
        {!isWrong && isOneOf("admin", "operator") && (
          <div class="buttons">
            <AskButton verb="sync" status={status} actions={actions} />
          </div>
        )}
      </div>
      <p class="clock-progress" role="status">
        {actions.answers !== null && t.clock.asking(status.sources.length, actions.answers)}
      </p>
      <ClockProblem actions={actions} status={status} />
      {isWrong && <ClockWrong status={status} actions={actions} />}
      {status.sources.length > 0 && <SourcesPicture status={status} />}
      <ClockDetails status={status} actions={actions} />
    </Section>
  );
}

/** Behind a fold: table and figures; loaded and drawn while it is open. */
function ClockDetails(props: ClockProps) {
  const { status } = props;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class="clock-details" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t.clock.details}</summary>
      {isOpen && (
        <Inside status={status}>
          {isOneOf("admin", "operator") && (
            <div class="buttons apart">
              <AskButton verb="reselect" {...props} />
              {isOneOf("admin") && !mayBeByHand(status) && <BrowserTimeButton {...props} />}
            </div>
          )}
        </Inside>
      )}
    </details>
  );
}

const Inside = bodyOf("clock", 6);

/** Says why a requested measurement did not correct the clock, and what to do. */
function ClockProblem({ status, actions }: ClockProps) {
  const [isAsking, setIsAsking] = useState(false);
  const error = actions.sync.error ?? actions.reselect.error;
  const code = codeOf(error);
  const advice = (t.clock.advice as Readonly<Record<string, string>>)[code ?? ""];
  const isPanic = code === "panic_threshold";
  const selected = status.sources.find(({ state }) => state === "selected");
  return (
    <>
      <ProblemView error={error} advice={advice} />
      {isPanic && !isOneOf("admin") && <p>{t.clock.forceByAdmin}</p>}
      {isPanic && isOneOf("admin") && (
        <div class="buttons">
          <Button kind="danger" onClick={() => setIsAsking(true)}>
            {t.clock.force}
          </Button>
        </div>
      )}
      {isAsking && (
        <ConfirmDialog
          title={t.clock.forceTitle}
          verb={t.clock.force}
          isDangerous
          onConfirm={actions.force}
          onClose={() => setIsAsking(false)}
        >
          <p>{t.clock.forceText(offsetInWords(selected?.offset_seconds ?? 0))}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** True where a person may have to put the clock right. While it is being measured, there is nothing to do yet. */
function isInDoubt(status: TimeSync, word: ClockWord): boolean {
  if (status.state === "acquiring") return false;
  return word !== "in_sync" || mayBeByHand(status);
}

/** The device's clock compared with the browser's, the way to put it right, and what does not work until then. */
function ClockWrong({ status, actions }: ClockProps) {
  const isAway = useIsAway();
  const isAlone = isUnpolled(status);
  const isBrowserWrong = isBefore(status.floor_at);
  const isByHand = mayBeByHand(status) && isOneOf("admin") && !isBrowserWrong;
  const isUntrusted = status.trust === "none";
  return (
    <div class={isUntrusted ? "clock-wrong attention" : "clock-wrong"}>
      {!isAway && (
        <p>{isBrowserWrong ? t.clock.browserWrong(absoluteTime(new Date())) : differenceInWords()}</p>
      )}
      <div class="buttons">
        {isOneOf("admin", "operator") && !isAlone && (
          <AskButton verb="sync" status={status} actions={actions} kind="primary" />
        )}
        {isByHand && (
          <BrowserTimeButton
            status={status}
            actions={actions}
            kind={isAlone && isUntrusted ? "primary" : "plain"}
          />
        )}
        {isAlone && isOneOf("admin", "operator") && (
          <Link to="/system/settings" query={{ open: status.mode === "manual" ? "clock" : "time" }}>
            {t.clock.toSettings}
          </Link>
        )}
        {!isOneOf("admin") && mayBeByHand(status) && <span class="hint">{t.clock.whoMay(isAlone)}</span>}
      </div>
      {isUntrusted && (
        <>
          <h3>{t.clock.broken}</h3>
          <ul class="bullets">
            {t.clock.brokenThings().map((thing) => (
              <li key={thing}>{thing}</li>
            ))}
          </ul>
        </>
      )}
    </div>
  );
}

/** Asks the time servers and puts the clock right by them; `reselect`: all of them, also those that were given up. */
function AskButton({
  verb,
  status,
  actions,
  kind = "plain",
}: ClockProps & Pick<ButtonProps, "kind"> & { readonly verb: "sync" | "reselect" }) {
  const [act, other] = [actions[verb], actions[verb === "sync" ? "reselect" : "sync"]];
  return (
    <Button
      kind={kind}
      isBusy={act.isBusy}
      why={other.isBusy ? t.clock.whyBusy : whyUnpolled(status)}
      onClick={() => {
        other.forget();
        void act.run();
      }}
    >
      {t.clock[verb]}
    </Button>
  );
}

function BrowserTimeButton({ status, actions, kind }: ClockProps & Pick<ButtonProps, "kind">) {
  const [isAsking, setIsAsking] = useState(false);
  return (
    <>
      <Button
        kind={kind ?? "plain"}
        why={mayBeByHand(status) ? null : t.clock.whyKept}
        onClick={() => setIsAsking(true)}
      >
        {t.clock.byBrowser}
      </Button>
      {isAsking && (
        <ConfirmDialog
          title={t.clock.byBrowserTitle}
          verb={t.clock.byBrowserVerb}
          onConfirm={actions.setByBrowser}
          onClose={() => setIsAsking(false)}
        >
          <p>{differenceInWords()}</p>
          <p>{t.clock.byBrowserText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** True where the clock may be set by hand, by the agent's own rule. */
function mayBeByHand({ mode, trust, state }: TimeSync): boolean {
  return mode === "manual" || trust === "none" || state === "manual";
}
