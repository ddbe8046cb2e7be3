import type { AuditEvent } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { Link } from "../navigation/link.tsx";
import { Empty, Section } from "../ui/page.tsx";
import { ClockTime } from "../ui/time.tsx";
import { toldOf } from "./event-words.ts";

/** The latest events, each in a sentence; users who may not see them get a link to the logs. */
export function Latest({ events }: { readonly events: readonly AuditEvent[] | null }) {
  if (events === null)
    return (
      <p>
        <Link to="/system/logs">{t.home.logs}</Link>
      </p>
    );
  return (
    <Section title={t.home.lately} action={<Link to="/system/events">{t.home.all}</Link>}>
      {events.length === 0 && <Empty>{t.home.nothingYet}</Empty>}
      <ol class="latest">
        {toldOf(events).map(({ seq, time, text }) => (
          <li key={seq}>
            <ClockTime at={time} />
            <span dir="auto">{text}</span>
          </li>
        ))}
      </ol>
    </Section>
  );
}
