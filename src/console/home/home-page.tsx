import type { AuditEvent, Status } from "../../contract/types.ts";
import { longDuration } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { isOneOf } from "../session/session.ts";
import type { State } from "../ui/badge.tsx";
import { useIsAway } from "../ui/connection-state.tsx";
import { Empty, Page, Section, Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { Shape } from "../ui/shape.tsx";
import { ClockTime } from "../ui/time.tsx";
import { eventLines } from "./event-words.ts";
import { NeedList } from "./need-list.tsx";
import { Tiles } from "./tiles.tsx";

/** The first page: the state of the device, the needs, and the latest events. */
export function HomePage() {
  const { value, error } = useResource("getStatus");
  const isAway = useIsAway();
  return (
    <Page title={t.home.title} head={value && <Sentence status={value} isAway={isAway} />}>
      <ProblemView error={error} />
      {value === null ? error === null && <Skeleton lines={8} /> : <Known status={value} />}
    </Page>
  );
}

function Known({ status }: { readonly status: Status }) {
  return (
    <div class="home">
      <div>
        <Tiles status={status} />
        <NeedList needs={status.needs} />
      </div>
      <Latest events={status.latest} />
    </div>
  );
}

/** The latest events, each in a sentence; users who may not see them get a link to the logs. */
function Latest({ events }: { readonly events: readonly AuditEvent[] | null }) {
  if (events === null)
    return (
      <p>
        <Link to="/system/logs">{t.system.tabs.logs}</Link>
      </p>
    );
  return (
    <Section title={t.home.lately} action={<Link to="/system/events">{t.home.all}</Link>}>
      {events.length === 0 && <Empty>{t.home.nothingYet}</Empty>}
      <ol class="latest">
        {eventLines(events).map(({ seq, time, text }) => (
          <li key={seq}>
            <ClockTime at={time} />
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}

function Sentence({ status, isAway }: { readonly status: Status; readonly isAway: boolean }) {
  const { host, version } = status;
  const [state, text] = isAway ? (["unknown", t.home.notKnown] as const) : howItIs(status);
  const facts = isAway
    ? t.home.notKnownText
    : `${t.home.up(longDuration(host.uptime_seconds))} · Steward ${version}`;
  return (
    <div class={`verdict ${state}`}>
      <Shape name={state} />
      <h1 tabIndex={-1}>{text}</h1>
      <p>{facts}</p>
    </div>
  );
}

function howItIs({ state, needs }: Status): readonly [State, string] {
  const count = needs.length;
  if (count === 0) return ["good", t.home.well];
  const words = isOneOf("admin") ? t.home.needsYou : t.home.needsAdministrator;
  return [state === "attention" ? "attention" : "wrong", words(count)];
}
