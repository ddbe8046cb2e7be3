import type { Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { Link } from "../navigation/link.tsx";
import { labelOf } from "../system/settings/said.ts";
import { Badge } from "../ui/badge.tsx";
import { Facts, Section } from "../ui/page.tsx";
import { Spoken } from "../ui/spoken.tsx";
import { Time } from "../ui/time.tsx";

/** When it is looked for updates, how the last look has ended, and whether a window is open. */
export function Schedule({ status: { schedule } }: { readonly status: Updates }) {
  const { enabled, next_check_at, last_check, failures, window_open } = schedule;
  return (
    <Section title={t.updates.schedule}>
      <Facts
        items={[
          [
            t.updates.nextCheck,
            enabled ? <Time key="at" at={next_check_at} never={t.updates.soon} /> : t.updates.notScheduled,
          ],
          [
            t.updates.lastCheck,
            last_check === null ? (
              t.time.never
            ) : (
              <>
                <Badge state={last_check.outcome === "ok" ? "good" : "attention"}>
                  {t.updates.checks[last_check.outcome]}
                </Badge>
                {" · "}
                <Time at={last_check.at} /> {failures > 1 && t.updates.failures(failures)}
                {last_check.detail !== null && (
                  <p>
                    <Spoken text={last_check.detail} />
                  </p>
                )}
              </>
            ),
          ],
          [
            labelOf("/update/windows"),
            <Link key="to" to="/system/settings">
              {window_open ? t.updates.windowOpen : t.updates.windowClosed}
            </Link>,
          ],
        ]}
      />
    </Section>
  );
}
