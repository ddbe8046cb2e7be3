import type { ComponentChildren } from "preact";
import type { Need, Status } from "../../contract/types.ts";
import { figure, longDuration, percent, withUnit } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { usePart, type WeekLineProps } from "../client/parts.ts";
import { useResource } from "../client/use-resource.ts";
import { Link } from "../navigation/link.tsx";
import { FillMeter, type FillMeterProps, usedShare } from "../needs/fill-meter.tsx";
import { clockHow, type How, howIs, warningsAmong } from "../needs/how.ts";
import { isOneOf } from "../session/session.ts";
import { Badge, type State } from "../ui/badge.tsx";
import { useIsAway } from "../ui/connection-state.tsx";
import { bodyOf, Page, Section, Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { Shape } from "../ui/shape.tsx";
import { ClockTime } from "../ui/time.tsx";
import { eventLines } from "./event-words.ts";
import { Checklist, NeedList } from "./need-list.tsx";
import { newsAmong } from "./news.ts";
import { clockFacts, peopleFacts, updateFacts, updatesHow } from "./tile-facts.ts";

/** The first page: the state of the device, what needs a person, what the setup left, and the latest events. */
export function HomePage() {
  const { value, error } = useResource("getStatus");
  const isAway = useIsAway();
  return (
    <Page title={t.home.title} head={value && <Sentence status={value} isAway={isAway} />}>
      <ProblemView error={error} />
      {value === null ? (
        error === null && <Skeleton lines={8} />
      ) : (
        <div class="home">
          <div>
            {value.product && <Product product={value.product} />}
            <Tiles status={value} />
            <NeedList needs={warningsAmong(value.needs)} />
            <Checklist needs={value.needs} />
          </div>
          <Latest latest={value.latest} />
        </div>
      )}
    </Page>
  );
}

/** The latest events, each in a sentence; users who may not see them get a link to the logs. */
function Latest({ latest }: Pick<Status, "latest">) {
  if (latest === null)
    return (
      <p>
        <Link to="/system/logs">{t.system.tabs.logs}</Link>
      </p>
    );
  const lines = eventLines(newsAmong(latest));
  if (lines.length === 0) return null;
  return (
    <Section title={t.home.lately} action={<Link to="/system/events">{t.home.all}</Link>}>
      <ol class="latest">
        {lines.map(({ seq, time, text, code }) => (
          <li key={seq} class={code === null ? undefined : "attention"}>
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
    : `${t.home.up(longDuration(host.uptime_seconds))} · Steward ${version.replace(/\+.*/, "")}`;
  return (
    <div class={`verdict ${state}`}>
      <Shape name={state} />
      <h1 tabIndex={-1}>{text}</h1>
      <p>{facts}</p>
    </div>
  );
}

function howItIs({ state, needs }: Status): readonly [State, string] {
  const count = warningsAmong(needs).length;
  if (count === 0) return ["good", t.home.well];
  const words = isOneOf("admin") ? t.home.needsYou : t.home.needsAdministrator;
  return [state === "attention" ? "attention" : "wrong", words(count)];
}

/** The device at a glance: clock, updates, people, host. */
function Tiles({ status }: { readonly status: Status }) {
  const { clock, updates, people, needs } = status;
  const updatesAre = updates && updatesHow(updates, needs);
  // The checklist asks for updates, unless they are not needed here.
  const isWithout = updatesAre?.reason === null && updatesAre.word === t.home.updateStates.notSetUp;
  return (
    <section class="tiles" aria-label={t.home.atAGlance}>
      <TileBox title={t.home.clock} to="/system" how={clockHow(clock.word, needs)}>
        <FactList facts={clockFacts(clock)} />
        <Week of="clock" />
      </TileBox>
      {updates && updatesAre && !isWithout && (
        <TileBox title={t.frame.updates} to="/updates" how={updatesAre}>
          <FactList facts={updateFacts(updates)} />
        </TileBox>
      )}
      {isOneOf("admin") && people !== null && (
        <TileBox title={t.frame.users} to="/users" how={howIs("people", needs, inOrder())}>
          <FactList facts={peopleFacts(people)} />
        </TileBox>
      )}
      <HostTile host={status.host} needs={needs} />
    </section>
  );
}

/** Few devices have a product with pages: the links to them are loaded where they are. */
const Product = bodyOf("product", 0, false);

function inOrder() {
  return { state: "good", word: t.home.inOrder } as const;
}

function HostTile({ host, needs }: { readonly host: Status["host"]; readonly needs: readonly Need[] }) {
  const { disk, memory, temperature_celsius: heat } = host;
  const isFull = needs.some(({ code }) => code === "disk");
  return (
    <TileBox title={t.home.host} to="/system" how={howIs("host", needs, inOrder())}>
      {disk !== null && (
        <Used name={t.home.disk} free={disk.available_bytes} total={disk.size_bytes} isFull={isFull} />
      )}
      <Used name={t.home.memory} free={memory.available_bytes} total={memory.total_bytes} />
      {heat !== null && <FactList facts={[withUnit(figure(heat), "°C")]} />}
      <Week of="host" />
    </TileBox>
  );
}

function Used(given: FillMeterProps) {
  return (
    <div class="used">
      <span>{given.name}</span>
      <FillMeter {...given} />
      <span>{percent(usedShare(given.free, given.total))}</span>
    </div>
  );
}

/** A tile that leads to its page wherever it is clicked; a screen reader hears its title as the link. */
function TileBox({
  title,
  to,
  how: { state, word },
  children,
}: {
  readonly title: string;
  readonly to: string;
  /** The list beneath the tiles has its reason. */
  readonly how: Pick<How, "state" | "word">;
  readonly children: ComponentChildren;
}) {
  return (
    <article class="tile">
      <h2>
        <Link to={to}>{title}</Link>
      </h2>
      <Badge state={state}>{word}</Badge>
      {children}
    </article>
  );
}

function FactList({ facts }: { readonly facts: readonly string[] }) {
  if (facts.length === 0) return null;
  return (
    <ul>
      {facts.map((fact) => (
        <li key={fact}>
          <bdi>{fact}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** The place of a line of seven days, which the page that it leads to draws: that is loaded behind this one. */
function Week({ of }: WeekLineProps) {
  const part = usePart("history", false);
  return <div class="week">{part && <part.Body of={of} />}</div>;
}
