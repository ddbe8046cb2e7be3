import type { ComponentChildren } from "preact";
import type { TimeSync } from "../../../contract/types.ts";
import { absoluteTime, shortDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { Link } from "../../navigation/link.tsx";
import { Empty, Facts } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import {
  browserInWords,
  isUnpolled,
  offsetWithUncertainty,
  stepInWords,
  whyUnpolled,
} from "./clock-words.ts";
import { SourcesTable } from "./sources-table.tsx";

/** Table and figures, before the buttons that are seldom needed. */
export function ClockInside({
  status,
  children,
}: {
  readonly status: TimeSync;
  readonly children: ComponentChildren;
}) {
  const { sources } = status;
  return (
    <>
      {sources.length > 0 ? (
        <>
          <p class="hint">{t.clock.legend}</p>
          <SourcesTable sources={sources} />
        </>
      ) : (
        isUnpolled(status) && <Empty>{whyUnpolled(status)}</Empty>
      )}
      <Link to="/system/history">{t.clock.toHistory}</Link>
      <ClockFacts status={status} />
      {children}
    </>
  );
}

/** The figures behind the sentence. */
function ClockFacts({ status }: { readonly status: TimeSync }) {
  const { source, discipliner, last_step, leap, poll_seconds, offset_seconds } = status;
  const items: (readonly [string, ComponentChildren] | false)[] = [
    offset_seconds !== null && [
      t.clock.facts.offset,
      offsetWithUncertainty(offset_seconds, status.uncertainty_seconds),
    ],
    [t.clock.facts.trust, t.clock.trusts[status.trust]],
    [t.clock.facts.deviceTime, absoluteTime(new Date(status.server_time))],
    [t.clock.facts.browser, browserInWords()],
    [
      t.clock.columns.source,
      source === null ? (
        t.clock.none
      ) : source.type === "manual" ? (
        t.clock.aPerson
      ) : (
        <bdi>{visible(source.host)}</bdi>
      ),
    ],
    [t.clock.facts.keptBy, discipliner.name ?? t.clock.noProgram],
    [t.clock.facts.lastSync, <Time key="sync" at={status.last_sync_at} />],
    poll_seconds !== null &&
      !isUnpolled(status) && [t.clock.facts.poll, t.clock.every(shortDuration(poll_seconds))],
    last_step !== null && [
      t.clock.facts.lastStep,
      <>
        {stepInWords(last_step.seconds)}, <Time at={last_step.at} />
      </>,
    ],
    (leap === "insert" || leap === "delete") && [t.clock.facts.leap, leap],
  ];
  return (
    <div class="rows-of-two clock-facts">
      <Facts items={items.filter((item) => item !== false)} />
    </div>
  );
}

export { ClockInside as Body };
