import { useEffect, useRef, useState } from "preact/hooks";
import type { HistoryEntry, Updates } from "../../contract/types.ts";
import { updateKinds } from "../../contract/update-kinds.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { deviceNow } from "../client/device-time.ts";
import { useAction } from "../client/use-action.ts";
import { useResource } from "../client/use-resource.ts";
import { isOneOf } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { bodyOf, Page, Skeleton } from "../ui/page.tsx";
import { ProblemView, ReadProblem } from "../ui/problem-view.tsx";
import { Said } from "../ui/spoken.tsx";
import { visible } from "../ui/visible.ts";
import { cardOf, type Work, workOf } from "./card/card-state.ts";
import { KindCard } from "./card/kind-card.tsx";
import { type Order, OrderDialog } from "./dialogs.tsx";
import { Fold } from "./fold.tsx";
import { Entry, History } from "./history.tsx";
import { RemedyButton } from "./remedy-button.tsx";
import { Trust } from "./trust.tsx";
import { endWords, passedOverSentence, releaseName } from "./update-sentences.ts";
import { overviewOf } from "./updates-overview.ts";
import "../styles/parts/updates.css";

/** The state of updates and a card for each kind; folded beneath: trust, history, a file and settings. */
export function UpdatesPage() {
  const { updates, history, progress, begun } = useUpdates();
  const [order, setOrder] = useState<Order | null>(null);
  const check = useAction(async () => begun(await call("checkForUpdates", { body: {} })));
  const status = updates.value && { ...updates.value, progress };
  const entries = history.value?.items ?? [];
  const isChecking = check.isBusy || progress?.phase === "checking";
  const onCheck = () => void check.run();
  const work = status && workOf(status, progress);
  return (
    <Page
      title={t.frame.updates}
      action={
        isOneOf("admin", "operator") &&
        status && (
          <Button isBusy={isChecking} why={whyNotCheck(status, work)} onClick={onCheck}>
            {t.updates.checkNow}
          </Button>
        )
      }
    >
      <ReadProblem of={[updates]} />
      <ProblemView error={check.error} />
      {status === null ? (
        updates.error === null && <Skeleton lines={12} />
      ) : (
        <>
          <UpdatesState status={status} />
          <div class="updates-cards">
            {updateKinds.map((kind) => (
              <KindCard
                key={kind}
                card={cardOf(kind, status, entries, work)}
                busy={busyWords(work, isChecking)}
                ended={endedWords(entries, kind)}
                onOrder={setOrder}
                onBegun={begun}
                {...{ kind, status, onCheck }}
              />
            ))}
          </div>
          <Trust status={status} onConfirmed={begun} />
          <History reading={history} />
          {isOneOf("admin", "operator") && (
            <Fold name="file" title={t.updates.fromFile} summary={t.updates.fromFileFor}>
              <FromFile status={status} onBegun={begun} />
            </Fold>
          )}
          <Fold
            name="settings"
            title={t.updates.settings}
            summary={t.updates.channel(visible(status.channel))}
          >
            <OtaSettings status={status} />
            {status.passed_over
              ?.filter(({ code }) => code.startsWith("other_"))
              .map((one) => (
                <p key={one.path} class="hint" dir="auto">
                  {passedOverSentence(one)}
                </p>
              ))}
          </Fold>
          <Entry entries={entries} status={status} onOrder={setOrder} />
        </>
      )}
      {order && status && (
        <OrderDialog order={order} status={status} onBegun={begun} onClose={() => setOrder(null)} />
      )}
    </Page>
  );
}

/** Reads updates and their history as they change. `progress`: of the work under way, or null. `begun` takes an answer. */
function useUpdates() {
  const updates = useResource("getUpdates");
  const history = useResource("listUpdateHistory");
  const { value } = updates;
  // It changes whenever the history may have grown.
  const key =
    value &&
    JSON.stringify([
      value.state,
      value.summary.detail,
      value.installed,
      value.failed,
      value.held,
      value.trial?.phase,
    ]);
  const before = useRef(key);
  useEffect(() => {
    if (before.current !== null) void history.reload();
    before.current = key;
  }, [key]);
  const { progress } = value ?? {};
  const present = progress && progress.phase !== "idle" ? progress : null;
  return { updates, history, progress: present, begun: updates.put };
}

/** Sums updates up: a sentence, its cause, and one button where a person can act. */
function UpdatesState({ status }: { readonly status: Updates }) {
  const needs = useResource("getStatus").value?.needs ?? null;
  const { state, sentences, remedy } = overviewOf(status, status.progress, needs);
  return (
    <div class="updates-state line">
      <Badge state={state}>
        <span role="status">
          {sentences.map((sentence) => (
            <span key={sentence.text}>
              <Said sentence={sentence} />{" "}
            </span>
          ))}
        </span>
      </Badge>
      {/* The head of the page has the button that checks. */}
      <RemedyButton remedy={remedy} />
    </div>
  );
}

/** Updates from a file, for a device without a network. */
const FromFile = bodyOf("upload", 4);

const OtaSettings = bodyOf("ota", 12);

/** null: it can be looked for updates. */
function whyNotCheck({ trust, summary }: Updates, work: Work | null): string | null {
  if (!trust.installed) return t.updates.trustSteps.not_installed;
  if (summary.code === "server_not_set") return t.updates.trustSteps.server_not_set;
  return busyWords(work, false);
}

/** Names the work under way and its step; null: there is none. */
function busyWords(work: Work | null, isChecking: boolean): string | null {
  if (work !== null) return t.updates.why.underWay(`${releaseName(work)} (${t.updates.steps[work.phase]})`);
  return isChecking ? t.updates.why.checking : null;
}

/** Milliseconds for which the end of an attempt is still news. */
const freshMilliseconds = 10 * 60_000;

/** The end of a kind's newest attempt, for people who hear the page; empty: none has ended just now. */
function endedWords(entries: readonly HistoryEntry[], kind: HistoryEntry["kind"]): string {
  const [last] = entries;
  if (last?.kind !== kind) return "";
  return Math.abs(deviceNow() - Date.parse(last.at)) < freshMilliseconds ? endWords(last) : "";
}

export const pages = { "/updates": UpdatesPage };
