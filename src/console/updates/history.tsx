import type { HistoryEntry, SetAsideRelease, UpdateHistory, Updates } from "../../contract/types.ts";
import { shortDuration } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { type Resource, useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { navigate, place } from "../navigation/navigation.ts";
import { isOneOf } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Badge, type State } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { Facts } from "../ui/page.tsx";
import { ReadProblem } from "../ui/problem-view.tsx";
import { Said } from "../ui/spoken.tsx";
import { Table } from "../ui/table.tsx";
import { Time } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import { reasonSentence } from "../ui/words/update-format.ts";
import { asideSentence, type Order } from "./dialogs.tsx";
import { Fold } from "./fold.tsx";
import { endWords, releaseName } from "./update-sentences.ts";

const shapes: Readonly<Record<HistoryEntry["outcome"], State>> = {
  good: "good",
  failed: "wrong",
  deferred: "attention",
  aborted: "attention",
  rolled_back: "attention",
  refused: "unknown",
};

/** The list of attempts, newest first; each of them can be opened. */
export function History({ reading }: { readonly reading: Resource<UpdateHistory> }) {
  const entries = reading.value?.items ?? [];
  const [last] = entries;
  if (last === undefined && reading.error === null) return null;
  const summary = last && (
    <>
      {endWords(last)} · <Time at={last.at} />
    </>
  );
  return (
    <Fold name="history" title={t.system.tabs.history} summary={summary ?? t.problem.notRead}>
      <ReadProblem of={[reading]} />
      {last && (
        <Table
          caption={t.system.tabs.history}
          rows={entries}
          rowKey={({ sequence }) => String(sequence)}
          columns={[
            { key: "at", title: t.updates.when, cell: ({ at }) => <Time at={at} /> },
            { key: "what", title: t.updates.release, opens: true, cell: (entry) => <What entry={entry} /> },
            { key: "how", title: t.updates.how, cell: (entry) => <How entry={entry} /> },
          ]}
        />
      )}
    </Fold>
  );
}

function What({ entry }: { readonly entry: HistoryEntry }) {
  const { from_version, version } = entry;
  const { query } = useStore(place);
  return (
    <div>
      <Link to="/updates" query={{ ...query, entry: String(entry.sequence) }}>
        <bdi>{releaseName(entry)}</bdi>
        {entry.log.length > 0 && ` (${t.updates.log})`}
      </Link>
      {from_version !== null && from_version !== version && (
        <bdi class="hint"> ← {visible(from_version)}</bdi>
      )}
    </div>
  );
}

function How({ entry }: { readonly entry: HistoryEntry }) {
  return (
    <div>
      <Badge state={shapes[entry.outcome]}>{t.updates.outcomes[entry.outcome]}</Badge>
      {isFormerBroken(entry) && <Badge state="wrong">{t.updates.formerNotHealthy}</Badge>}
    </div>
  );
}

/** The first release of its kind has none before it. */
function isFormerBroken({ restored_healthy, from_version }: HistoryEntry): boolean {
  return restored_healthy === false && from_version !== null;
}

/** The record that keeps this release from being applied automatically; undefined: there is none. */
function asideOf({ release_id, outcome }: HistoryEntry, status: Updates): SetAsideRelease | undefined {
  if (outcome === "good" || outcome === "refused") return undefined;
  return [...status.failed, ...status.held].find(({ id }) => id === release_id);
}

interface EntryProps {
  readonly status: Updates;
  readonly onOrder: (order: Order) => void;
}

/** The attempt that the page's address names, at the side. */
export function Entry({ entries, ...rest }: EntryProps & { readonly entries: readonly HistoryEntry[] }) {
  const { query } = useStore(place);
  const entry = entries.find(({ sequence }) => String(sequence) === query.entry);
  return entry ? <EntrySheet entry={entry} {...rest} /> : null;
}

/** One attempt in full, with the last lines of what failed. */
function EntrySheet({ entry, status, onOrder }: EntryProps & { readonly entry: HistoryEntry }) {
  const { path, query } = place.read();
  const { at, seconds, reason, from_version, version, restored_healthy, outcome, log } = entry;
  const aside = asideOf(entry, status);
  const close = (): void => void navigate(path, { ...query, entry: undefined });
  const former = from_version === version ? null : from_version;
  // Others may not see events.
  const mayAsk = isOneOf("admin", "operator");
  return (
    <Dialog title={endWords(entry)} shape="sheet" onClose={close}>
      <div class="updates-entry">
        <p>
          <Said sentence={reasonSentence(reason)} />
        </p>
        <Facts
          items={[
            [t.updates.when, <Time key="at" at={at} />],
            [t.updates.took, shortDuration(seconds)],
            former !== null && [t.updates.before, visible(former)],
            outcome === "rolled_back" && [t.updates.by, mayAsk ? <Asker key="by" at={at} /> : "–"],
          ]}
        />
        {isFormerBroken(entry) && <p>{t.updates.formerNotHealthy}</p>}
        {restored_healthy && from_version !== null && <p>{t.updates.formerBack}</p>}
        {aside && (
          <p>
            <Said sentence={asideSentence(aside)} />
          </p>
        )}
        {aside && aside.why !== "failed" && isOneOf("admin") && (
          <Button
            why={status.available[aside.kind]?.id === aside.id ? null : t.updates.againLater}
            onClick={() => {
              close();
              onOrder({ verb: "apply", kind: aside.kind });
            }}
          >
            {t.ui.again}
          </Button>
        )}
        {log.length > 0 && (
          <details open>
            <summary>{t.updates.lastLines}</summary>
            <pre>{log.map(visible).join("\n")}</pre>
          </details>
        )}
      </div>
    </Dialog>
  );
}

/** Names the person who asked for it. */
function Asker({ at }: { readonly at: string }) {
  const { value } = useResource("listEvents", { query: { type: "update.rollback_requested", limit: 200 } });
  const asked = value?.items.find(({ time, outcome }) => outcome === "success" && time <= at);
  return <>{asked?.actor.name ?? asked?.actor.kind ?? "–"}</>;
}
