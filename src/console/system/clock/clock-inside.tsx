import type { ComponentChildren } from "preact";
import type { TimeSync } from "../../../contract/types.ts";
import { absoluteTime, shortDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { deviceAheadSeconds } from "../../client/device-time.ts";
import { Link } from "../../navigation/link.tsx";
import { Empty, Facts } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import {
  beyondInWords,
  isUnpolled,
  offsetWithUncertainty,
  sameSeconds,
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
          <p class="hint">{t.clockDetails.legend}</p>
          <SourcesTable sources={sources} />
        </>
      ) : (
        isUnpolled(status) && <Empty>{whyUnpolled(status)}</Empty>
      )}
      <p class="apart">
        <Link to="/system/history">{t.clockDetails.toHistory}</Link>
      </p>
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
      t.clockDetails.facts.offset,
      offsetWithUncertainty(offset_seconds, status.uncertainty_seconds),
    ],
    [t.clockDetails.facts.trust, t.clock.trusts[status.trust]],
    [t.clockDetails.facts.deviceTime, absoluteTime(new Date(status.server_time))],
    [t.clockDetails.facts.browser, browserInWords()],
    [
      t.clockDetails.columns.source,
      source === null ? (
        t.clockDetails.none
      ) : source.type === "manual" ? (
        t.clockDetails.aPerson
      ) : (
        <bdi>{visible(source.host)}</bdi>
      ),
    ],
    [t.clockDetails.facts.keptBy, discipliner.name ?? t.clockDetails.noProgram],
    [t.clockDetails.facts.lastSync, <Time key="sync" at={status.last_sync_at} />],
    poll_seconds !== null &&
      !isUnpolled(status) && [t.clockDetails.facts.poll, t.clockDetails.every(shortDuration(poll_seconds))],
    last_step !== null && [
      t.clockDetails.facts.lastStep,
      <>
        {stepInWords(last_step.seconds)}, <Time at={last_step.at} />
      </>,
    ],
    (leap === "insert" || leap === "delete") && [t.clockDetails.facts.leap, leap],
  ];
  return (
    <div class="rows-of-two apart">
      <Facts items={items.filter((item) => item !== false)} />
    </div>
  );
}

function browserInWords(): string {
  const ahead = deviceAheadSeconds();
  return Math.abs(ahead) < sameSeconds ? t.clockDetails.browserSame : beyondInWords(-ahead);
}

export { ClockInside as Body };
