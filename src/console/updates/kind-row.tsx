import type { HistoryEntry, Release, Updates } from "../../contract/types.ts";
import { bytes } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { isOneOf } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Said } from "../ui/spoken.tsx";
import { Time } from "../ui/time.tsx";
import { visible } from "../ui/visible.ts";
import type { Order } from "./dialogs.tsx";
import { type KnownReleases, knownReleases } from "./installed-releases.ts";
import { fromNow, holdSentence, isAhead, summarySentence } from "./update-sentences.ts";

/** One kind of release on this device: the installed one, the available one, and the actions on them. */
export function KindRow({
  kind,
  status,
  entries,
  isUnderWay,
  onOrder,
}: {
  readonly kind: Release["kind"];
  readonly status: Updates;
  readonly entries: readonly HistoryEntry[];
  readonly isUnderWay: boolean;
  readonly onOrder: (order: Order) => void;
}) {
  const version = status.installed[kind];
  const release = status.available[kind];
  const known = knownReleases(entries, kind);
  const busy = isUnderWay ? t.updates.why.underWay : null;
  return (
    <article class="updates-row" aria-label={t.updates.kinds[kind]}>
      <div>
        <h3>{t.updates.kinds[kind]}</h3>
        <p class="hint">{t.updates.about[kind]}</p>
      </div>
      <div>
        <p class="hint">{t.updates.installed}</p>
        <p class={version === null ? "" : "updates-version"}>
          {version === null ? t.updates.noneKnown : visible(version)}
        </p>
        {version !== null && <InstalledSince last={known.last} />}
      </div>
      <div>
        <p class="hint">{t.updates.available}</p>
        {release === null ? (
          <p>{t.updates.nothingNewer}</p>
        ) : (
          <Offer release={release} postponed={status.postponed[kind]} />
        )}
      </div>
      {isOneOf("admin") && (
        <div class="buttons">
          {release !== null && <OfferButtons {...{ status, release, busy, onOrder }} />}
          {version !== null && <UndoButton {...{ kind, version, known, busy, onOrder }} />}
        </div>
      )}
    </article>
  );
}

/** Since when the installed release has been good; the one that came with the device was never on trial. */
function InstalledSince({ last }: { readonly last: HistoryEntry | undefined }) {
  if (last === undefined) return <p class="hint">{t.updates.asDelivered}</p>;
  if (last.restored_healthy === false) return <Badge state="wrong">{t.updates.formerNotHealthy}</Badge>;
  return (
    <Badge state="good">
      {t.updates.steps.good} · <Time at={last.at} />
    </Badge>
  );
}

function Offer({ release, postponed }: { readonly release: Release; readonly postponed: string | null }) {
  const { name, version, length_bytes, notes, urgent, due_at, hold, staged } = release;
  const facts = [bytes(length_bytes), ...(staged ? [t.updates.staged] : [])];
  return (
    <>
      <p>
        <span class="updates-version">{visible(version)}</span> {visible(name)} · {facts.join(" · ")}{" "}
        {urgent && <Badge state="attention">{t.updates.urgent}</Badge>}
      </p>
      {notes !== "" && <p class="updates-notes">{visible(notes)}</p>}
      <p class="hint">
        {hold === null ? t.updates.automatic : <Said sentence={holdSentence(hold)} />}
        {hold?.code !== "wave" && due_at !== null && isAhead(due_at) && ` ${t.updates.hold.wave(at(due_at))}`}
        {hold?.code !== "postponed" && postponed !== null && ` ${t.updates.hold.postponed(at(postponed))}`}
      </p>
    </>
  );
}

/** Facts that are a time alone. */
function at(time: string) {
  return { what: "", when: fromNow(time), reason: "", count: 0 };
}

interface OfferProps {
  readonly status: Updates;
  readonly release: Release;
  readonly busy: string | null;
  readonly onOrder: (order: Order) => void;
}

function OfferButtons({ status, release, busy, onOrder }: OfferProps) {
  const { kind, version, hold } = release;
  const what = `${t.updates.kinds[kind]} ${version}`;
  const why =
    busy ??
    (status.state === "blocked" ? summarySentence(status.summary).text : null) ??
    (hold?.code === "not_configured" ? holdSentence(hold).text : null);
  return (
    <>
      <Button
        kind="primary"
        label={`${t.updates.apply}: ${what}`}
        why={why}
        onClick={() => onOrder({ verb: "apply", kind })}
      >
        {t.updates.apply}
      </Button>
      <Button
        label={`${t.updates.postpone}: ${what}`}
        why={busy}
        onClick={() => onOrder({ verb: "postpone", kind })}
      >
        {t.updates.postpone}
      </Button>
    </>
  );
}

function UndoButton({
  kind,
  version,
  known: { former },
  busy,
  onOrder,
}: {
  readonly kind: Release["kind"];
  readonly version: string;
  readonly known: KnownReleases;
  readonly busy: string | null;
  readonly onOrder: (order: Order) => void;
}) {
  return (
    <Button
      label={`${t.updates.undo}: ${t.updates.kinds[kind]} ${version}`}
      why={busy ?? (former === null ? t.updates.why.nothingBefore : null)}
      onClick={() => onOrder({ verb: "undo", kind, former: former ?? "" })}
    >
      {t.updates.undo}
    </Button>
  );
}
