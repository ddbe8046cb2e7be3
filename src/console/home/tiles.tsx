import type { ComponentChildren } from "preact";
import type { Need, Status } from "../../contract/types.ts";
import { figure, percent } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { clockColours } from "../frame/clock-state.tsx";
import { Link } from "../navigation/link.tsx";
import { isOneOf, me } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import {
  clockFacts,
  levelOf,
  peopleFacts,
  stateOf,
  type TileState,
  updateFacts,
  updatesState,
} from "./tile-facts.ts";

/** The device at a glance: clock, updates, people, host. */
export function Tiles({ status }: { readonly status: Status }) {
  const { clock, updates, needs } = status;
  const clockState = { state: clockColours[clock.word], word: t.frame.clockWords[clock.word] };
  return (
    <section class="tiles" aria-label={t.home.atAGlance}>
      <TileBox title={t.home.clock} to="/system" how={clockState}>
        <FactList facts={clockFacts(clock)} />
      </TileBox>
      {updates !== null && (
        <TileBox title={t.frame.updates} to="/updates" how={updatesState(updates, needs)}>
          <FactList facts={updateFacts(updates)} />
        </TileBox>
      )}
      {isOneOf("admin") ? <PeopleTile status={status} /> : <OwnTile />}
      <HostTile host={status.host} needs={needs} />
    </section>
  );
}

function PeopleTile({ status: { people, needs } }: { readonly status: Status }) {
  if (people === null) return null;
  return (
    <TileBox title={t.home.people} to="/users" how={stateOf(levelOf("people", needs))}>
      <FactList facts={peopleFacts(people)} />
    </TileBox>
  );
}

/** For those who may not see the users: their own account. */
function OwnTile() {
  const { enabled, recovery_codes_remaining: codes } = me().two_factor;
  const facts = enabled ? [t.home.factorOn, t.home.codesLeft(codes)] : [t.home.factorOff];
  return (
    <TileBox title={t.frame.account} to="/account" how={stateOf(null)}>
      <FactList facts={facts} />
    </TileBox>
  );
}

function HostTile({ host, needs }: { readonly host: Status["host"]; readonly needs: readonly Need[] }) {
  const { disk, memory, temperature_celsius: heat } = host;
  return (
    <TileBox title={t.home.host} to="/system" how={stateOf(levelOf("host", needs))}>
      {disk !== null && <Used name={t.home.disk} free={disk.available_bytes} total={disk.size_bytes} />}
      <Used name={t.home.memory} free={memory.available_bytes} total={memory.total_bytes} />
      {heat !== null && <FactList facts={[`${figure(heat)} °C`]} />}
    </TileBox>
  );
}

/** Share of a disk or of the memory from which on it is called full. */
const fullShare = 0.9;

function Used({
  name,
  free,
  total,
}: {
  readonly name: string;
  readonly free: number;
  readonly total: number;
}) {
  const share = total === 0 ? 0 : (total - free) / total;
  return (
    <div class="used">
      <span>{name}</span>
      <meter aria-label={name} max={1} value={share} high={fullShare} />
      <span>{percent(share)}</span>
    </div>
  );
}

/** The whole of it leads to where more is said; a screen reader hears its title as the link. */
function TileBox({
  title,
  to,
  how: { state, word },
  children,
}: {
  readonly title: string;
  readonly to: string;
  readonly how: TileState;
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
