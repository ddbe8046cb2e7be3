import type { User } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { useResource } from "../client/use-resource.ts";
import { eventLines } from "../home/event-words.ts";
import { Link } from "../navigation/link.tsx";
import { Empty, Pending, Section } from "../ui/page.tsx";
import { ReadProblem } from "../ui/problem-view.tsx";
import { Time } from "../ui/time.tsx";

/** Events that are asked for; a few may be what other users did to this one. */
const asked = 50;

/** Sentences that are shown; the page of events has the rest. */
const shown = 12;

/** The deeds of a user in the last seven days, the newest first. */
export function Week({ user: { id } }: { readonly user: User }) {
  const query = { actor_kind: "user", name: id, since: "7d" } as const;
  const events = useResource("listEvents", { query: { ...query, limit: asked } });
  const own = events.value?.items.filter(({ actor }) => actor.id === id);
  const told = eventLines(own ?? []);
  const { actor_kind: who, name, since } = query;
  return (
    <Section
      title={t.users.week}
      action={
        <Link to="/system/events" query={{ who, name, since }}>
          {t.users.whatTheyDid}
        </Link>
      }
    >
      <ReadProblem of={[events]} />
      {own === undefined && <Pending of={events} lines={3} />}
      {own?.length === 0 && <Empty>{t.users.idle}</Empty>}
      <ol class="latest">
        {told.slice(0, shown).map(({ seq, time, text }) => (
          <li key={seq}>
            <Time at={time} />
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ol>
      {told.length > shown && <p class="hint">{t.users.more(told.length - shown)}</p>}
    </Section>
  );
}
