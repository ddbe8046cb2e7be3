import type { Updates } from "../../contract/types.ts";
import { language, t } from "../catalogue/words.ts";
import { Link } from "../navigation/link.tsx";
import { labelOf } from "../system/settings/said.ts";
import { Badge } from "../ui/badge.tsx";
import { problemName, type Sentence } from "../ui/by-code.ts";
import { Facts, Section } from "../ui/page.tsx";
import { Said } from "../ui/spoken.tsx";
import { Time } from "../ui/time.tsx";

/** When the next check comes, how the last one ended, and whether an update window is open. */
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
                    <Said sentence={checkFailure(last_check.code, last_check.detail)} />
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

/** Why the last check failed; the agent's own sentence says more, but it is English. */
function checkFailure(code: string | null, detail: string): Sentence {
  const name = problemName(code ?? "");
  if (name === null || language === "en") return { text: detail, isAgents: true };
  return { text: `${name}.`, isAgents: false };
}
