import type { ComponentChildren } from "preact";
import type { TimeSync } from "../../../contract/types.ts";
import { absoluteTime, shortDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { Facts } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { browserInWords, isNobodyAsked, stepInWords } from "./clock-words.ts";

/** The figures behind the sentence. */
export function ClockFacts({ status }: { readonly status: TimeSync }) {
  const { source, discipliner, last_step, leap, poll_seconds, mode } = status;
  const items: (readonly [string, ComponentChildren] | false)[] = [
    [t.clock.facts.deviceTime, absoluteTime(new Date(status.server_time))],
    [t.clock.facts.browser, browserInWords()],
    [
      t.clock.columns.source,
      source === null ? t.clock.nobody : source.type === "manual" ? t.clock.aPerson : source.host,
    ],
    [t.clock.facts.keptBy, `${discipliner.name ?? t.clock.nobody} (${mode})`],
    [t.clock.facts.lastSync, <Time key="sync" at={status.last_sync_at} />],
    poll_seconds !== null &&
      !isNobodyAsked(status) && [t.clock.facts.poll, t.clock.every(shortDuration(poll_seconds))],
    last_step !== null && [
      t.clock.facts.lastStep,
      <>
        {stepInWords(last_step.seconds)}, <Time at={last_step.at} />
      </>,
    ],
    (leap === "insert" || leap === "delete") && [t.clock.facts.leap, leap],
  ];
  return (
    <div class="clock-facts">
      <Facts items={items.filter((item) => item !== false)} />
    </div>
  );
}
