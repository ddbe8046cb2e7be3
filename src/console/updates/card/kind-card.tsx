import type { HistoryEntry, Release, Updates } from "../../../contract/types.ts";
import { holdRemedy } from "../../../contract/updates/update-holds.ts";
import { isRecall } from "../../../contract/updates/update-summaries.ts";
import { bytes } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { useAction } from "../../client/use-action.ts";
import { Link } from "../../navigation/link.tsx";
import { place } from "../../navigation/navigation.ts";
import { isOneOf } from "../../session/session.ts";
import { useStore } from "../../store.ts";
import { Badge, type State } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { Menu } from "../../ui/menu.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import { Said } from "../../ui/spoken.tsx";
import { isolated, visible } from "../../ui/visible.ts";
import type { Order } from "../dialogs.tsx";
import { momentName, momentPhrase } from "../moments.ts";
import { RemedyButton } from "../remedy-button.tsx";
import {
  attemptSentence,
  blockerSentence,
  holdSentence,
  isAhead,
  passedOverOf,
  passedOverSentence,
} from "../update-sentences.ts";
import type { Card } from "./card-state.ts";
import { type NotesBlock, type NotesPiece, type ReleaseNotes, readNotes } from "./notes-markdown.ts";
import { WorkLine } from "./work-line.tsx";

interface CardProps extends OrderProps {
  readonly card: Card;
  /** The newest attempt of this kind that has just ended, in words. */
  readonly ended: string;
}

/** One kind of release on this device: how it is, what is on offer, what is under way, and what went wrong. */
export function KindCard(props: CardProps) {
  const { kind, card, status, ended, busy, onOrder } = props;
  const { version, work, release, attempts, former } = card;
  const blocker = blockerSentence(status.blockers?.[kind], kind);
  const isOpen = (id: string | null) => status.failed.some((one) => one.id === id && one.state === "open");
  const hasFailed = status.failed.some((one) => one.kind === kind && one.state === "open");
  const passedOver = passedOverOf(status, kind);
  const isCalm = blocker === null && !hasFailed && !passedOver.some(isRecall);
  const [state, words] = installedInWords(card, isCalm);
  return (
    <article class="updates-card" aria-label={t.home.kinds[kind]}>
      <header class="updates-head line">
        <h2>{t.home.kinds[kind]}</h2>
        {version !== null && <Version of={version} />}
        {version === null ? (
          <p class="hint">{t.updates.about[kind]}</p>
        ) : (
          <Badge state={state}>{words}</Badge>
        )}
        {version !== null && isOneOf("admin") && (
          <div class="buttons">
            <Button
              kind="quiet"
              label={t.updates.undoOf(`${t.home.kinds[kind]} ${version}`)}
              why={busy ?? (former === null ? t.updates.why.nothingBefore : null)}
              onClick={() => onOrder({ verb: "undo", kind, former: former ?? "" })}
            >
              {t.updates.undo}
            </Button>
          </div>
        )}
      </header>
      <WorkLine work={work} ended={ended} status={status} former={version} />
      {work === null && release === null && version !== null && isCalm && <p>{t.updates.nothingNewer}</p>}
      {work === null && release !== null && <Offer {...props} release={release} />}
      {blocker && release === null && (
        <p>
          <Badge state="attention">
            <Said sentence={blocker} />
          </Badge>
        </p>
      )}
      {attempts.map((entry) => (
        <Attempt key={entry.sequence} entry={entry} isOpen={isOpen(entry.release_id)} />
      ))}
      {passedOver.map((one) => (
        <p key={one.path}>
          <Badge state={isRecall(one) ? "attention" : "unknown"}>{passedOverSentence(one)}</Badge>
        </p>
      ))}
    </article>
  );
}

/** Placeholder for the version in a sentence, which is split there to draw the version as an element. */
const versionPlace = "\u{fffc}";

/** On one line, however long it is; all of it is in the tooltip, and in the history. */
function Version({ of }: { readonly of: string }) {
  const version = visible(of);
  return (
    <span class="updates-version" title={version}>
      {version}
    </span>
  );
}

function installedInWords({ goodSince, isBroken }: Card, isCalm: boolean): readonly [State, string] {
  if (isBroken) return ["attention", t.updates.formerNotHealthy];
  const words = goodSince === null ? t.updates.asDelivered : t.updates.goodSince(momentName(goodSince));
  return [isCalm ? "good" : "unknown", words];
}

function Offer(props: CardProps & { readonly release: Release }) {
  const { release, status } = props;
  const { version, length_bytes, urgent, hold, staged, kind } = release;
  const notes = readNotes([release.notes, "", ...(release.more_notes ?? [])].join("\n"));
  const [before, after] = t.home.offered(versionPlace).split(versionPlace);
  const facts = [
    bytes(length_bytes),
    ...(staged ? [t.updates.staged] : []),
    ...(notes.title === "" ? [] : [t.updates.quoted(isolated(notes.title))]),
  ];
  return (
    <div class="updates-offer line between">
      <div>
        <p>
          <strong>
            {before}
            <Version of={version} />
            {after}
          </strong>
          {facts.map((fact) => ` · ${fact}`)} {urgent && <Badge state="attention">{t.updates.urgent}</Badge>}
        </p>
        <p class="hint">
          {hold === null ? t.updates.automatic : <Said sentence={holdSentence(hold, kind)} />}
          {alsoDue(release, status.postponed[kind])}
        </p>
        <NotesDetails notes={notes} />
      </div>
      {isOneOf("admin") && <OfferButtons {...props} />}
    </div>
  );
}

/** Times that count besides the reason by which it is held. */
function alsoDue({ due_at, hold }: Release, postponed: string | null): string[] {
  const times = [["wave", due_at] as const, ["postponed", postponed] as const];
  return times.flatMap(([code, until]) => {
    if (until === null || hold?.code === code || !isAhead(until)) return [];
    return ` ${holdSentence({ code, detail: "", until, setting: null, reason: null }).text}`;
  });
}

/** An attempt that did not stay, with a link to its reason. */
function Attempt({ entry, isOpen }: { readonly entry: HistoryEntry; readonly isOpen: boolean }) {
  const { query } = useStore(place);
  return (
    <p class="updates-attempt">
      <Badge state={isOpen ? "attention" : "unknown"}>{attemptSentence(entry)}</Badge>{" "}
      <Link to="/updates" query={{ ...query, entry: String(entry.sequence) }}>
        {t.updates.reason} <span class="unseen">{attemptSentence(entry)}</span>
      </Link>
    </p>
  );
}

/** The publisher's notes below their title. They are closed at first, unless they are one block without a title. */
function NotesDetails({ notes: { title, blocks, isCut } }: { readonly notes: ReleaseNotes }) {
  if (blocks.length === 0) return null;
  return (
    <details class="updates-notes" open={title === "" && !isCut && blocks.length === 1}>
      <summary>{t.updates.notes}</summary>
      <div dir="auto">
        {blocks.map((block, index) => (
          <Block key={index} block={block} />
        ))}
        {isCut && <p>…</p>}
      </div>
    </details>
  );
}

function Block({ block }: { readonly block: NotesBlock }) {
  if (block.kind === "paragraph")
    return (
      <p>
        {block.lines.map((line, index) => (
          <>
            {index > 0 && <br />}
            <Pieces key={index} pieces={line} />
          </>
        ))}
      </p>
    );
  const items = block.items.map((line, index) => (
    <li key={index}>
      <Pieces pieces={line} />
    </li>
  ));
  return block.isNumbered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

function Pieces({ pieces }: { readonly pieces: readonly NotesPiece[] }) {
  return <>{pieces.map(Piece)}</>;
}

function Piece(piece: NotesPiece) {
  const text = visible(piece.text);
  if (piece.kind === "bold") return <strong>{text}</strong>;
  if (piece.kind === "code") return <code>{text}</code>;
  return piece.kind === "link" ? `${text} (${visible(piece.address)})` : text;
}

/** Spans by which one touch postpones a release. */
const spans = ["1h", "1d", "7d"] as const;

interface OrderProps {
  readonly kind: Release["kind"];
  readonly status: Updates;
  /** The reason that no work can begin now; null: it can. */
  readonly busy: string | null;
  readonly onOrder: (order: Order) => void;
  readonly onBegun: (status: Updates) => void;
  readonly onCheck: () => void;
}

/** The buttons of an offer: one applies it, or does what must come first; the other postpones it. */
function OfferButtons({ release, ...rest }: OrderProps & { readonly release: Release }) {
  const { kind, status, busy, onOrder, onBegun, onCheck } = rest;
  const what = `${t.home.kinds[kind]} ${release.version}`;
  const code = release.hold?.code;
  const remedy = code === undefined ? "apply" : holdRemedy(code);
  const later = useAction(async (span: string) => {
    const after = await call("postponeUpdate", { body: { kind, for: span } });
    onBegun(after);
    const until = after.postponed[kind];
    toast(until === null ? t.updates.notPostponed : t.updates.postponedUntil(momentPhrase(until)));
  });
  return (
    <>
      <div class="buttons">
        {remedy === "apply" && (
          <Button
            kind={wasUndone(release) ? "plain" : "primary"}
            label={`${t.updates.apply}: ${what}`}
            why={busy}
            onClick={() => onOrder({ verb: "apply", kind })}
          >
            {wasUndone(release) ? t.ui.again : t.updates.apply}
          </Button>
        )}
        {remedy !== "apply" && <RemedyButton remedy={remedy} onCheck={onCheck} />}
        <Menu
          label={`${t.ui.later}: ${what}`}
          text={t.ui.later}
          items={[
            ...(status.postponed[kind] === null
              ? []
              : [{ text: t.updates.endPostponement, why: null, onChoose: () => void later.run("0s") }]),
            ...spans.map((span) => ({
              text: t.updates.laterBy[span],
              why: busy,
              onChoose: () => void later.run(span),
            })),
            { text: t.updates.laterBy.own, why: busy, onChoose: () => onOrder({ verb: "postpone", kind }) },
          ]}
        />
      </div>
      <ProblemView error={later.error} />
    </>
  );
}

/** It has been on this device and was taken back: then nothing suggests to do the same again. */
function wasUndone({ hold }: Release): boolean {
  return hold?.code === "held" || hold?.code === "deferred" || hold?.code === "refused";
}
