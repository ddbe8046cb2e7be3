import type { ComponentChildren } from "preact";
import type { AuditEvent } from "../../../contract/types.ts";
import { t, wordFor } from "../../catalogue/words.ts";
import { eventSentence } from "../../home/event-words.ts";
import { Link } from "../../navigation/link.tsx";
import { problemName } from "../../ui/by-code.ts";
import { Facts } from "../../ui/page.tsx";
import { exactTime } from "../../ui/time.tsx";
import { visible, visibleLines } from "../../ui/visible.ts";
import { type Fact, factsOf } from "./event-facts.ts";

/** One event in full: a sentence, its facts by their names, and folded what only a technician asks for. */
export function EventDetail({ event }: { readonly event: AuditEvent }) {
  const { time, type, actor, from, outcome, code, count } = event;
  const { when, from: place, local, others, refused, times } = t.event.eventParts;
  const items: (readonly [string, ComponentChildren])[] = [
    [when, exactTime(new Date(time))],
    [t.events.who, <bdi key="who">{visible(actor.name ?? t.lists.kinds[actor.kind])}</bdi>],
    [place, { local, others }[from] ?? <bdi key="from">{visible(from)}</bdi>],
    ...(outcome === "refused" && code !== null ? [[refused, problemName(code) ?? code] as const] : []),
    ...(count > 1 ? [[times, String(count)] as const] : []),
    ...factsOf(event).map((fact) => [fact.name, <Value key={fact.name} fact={fact} />] as const),
  ];
  const title = wordFor<string>(t.events.titles, type);
  return (
    <div class="event-detail">
      <p dir="auto">{eventSentence(event)}.</p>
      <Facts items={items} />
      {title !== undefined && (
        <p class="event-more">
          <Link to="/system/events" query={{ type }}>
            {t.event.onlyType(title)}
          </Link>
        </p>
      )}
      <details>
        <summary>{t.problem.technical}</summary>
        <pre class="event-facts">{visibleLines(JSON.stringify(event, null, 2))}</pre>
      </details>
    </div>
  );
}

function Value({ fact: { text, isCode, isAgents } }: { readonly fact: Fact }) {
  if (isCode) return <code>{text}</code>;
  return <bdi lang={isAgents ? "en" : undefined}>{text}</bdi>;
}

export { EventDetail as Body };
