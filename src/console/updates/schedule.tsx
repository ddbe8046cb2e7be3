import type { PassedOver, Updates } from "../../contract/types.ts";
import { isRecall } from "../../contract/updates/update-summaries.ts";
import { t } from "../catalogue/words.ts";
import { Link } from "../navigation/link.tsx";
import { Badge } from "../ui/badge.tsx";
import { Facts } from "../ui/page.tsx";
import { Said } from "../ui/spoken.tsx";
import { Time } from "../ui/time.tsx";
import { reasonSentence } from "../ui/words/update-format.ts";
import { Fold } from "./fold.tsx";
import { passedOverSentence } from "./update-sentences.ts";

/** When the next check comes, how the last one ended, and whether an update window is open. */
export function Schedule({ status: { schedule, passed_over = [] } }: { readonly status: Updates }) {
  const { enabled, next_check_at, last_check, failures, window_open } = schedule;
  const others = passed_over.filter((one) => !isRecall(one));
  const next = <Time key="at" at={next_check_at} never={t.updates.soon} />;
  const summary = enabled ? (
    <>
      {t.updates.nextCheck}: {next}
    </>
  ) : (
    t.updates.notScheduledNext
  );
  return (
    <Fold name="schedule" title={t.updates.schedule} summary={summary}>
      <Facts
        items={[
          [t.updates.nextCheck, enabled ? next : t.updates.notScheduled],
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
                {last_check.outcome !== "ok" && last_check.detail !== null && (
                  <p>
                    <Said sentence={reasonSentence({ ...last_check, detail: last_check.detail })} />
                  </p>
                )}
              </>
            ),
          ],
          ...(others.length === 0 ? [] : [[t.updates.notChosen, notChosen(others)] as const]),
          [
            t.updates.windows,
            <Link key="to" to="/system/settings" query={{ open: "windows" }}>
              {window_open ? t.updates.windowOpen : t.updates.windowClosed}
            </Link>,
          ],
        ]}
      />
    </Fold>
  );
}

function notChosen(releases: readonly PassedOver[]) {
  return releases.map((one) => (
    <p key={`${one.code} ${one.path}`} dir="auto">
      {passedOverSentence(one)}
    </p>
  ));
}
