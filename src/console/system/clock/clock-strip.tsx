import { useRef } from "preact/hooks";
import type { TimeSource, TimeSync } from "../../../contract/types.ts";
import { shortDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { percent } from "../../plot/axis.ts";
import { Shape } from "../../ui/shape.tsx";
import { Said } from "../../ui/spoken.tsx";
import { visible } from "../../ui/visible.ts";
import { reasonOf } from "./clock-sentences.ts";
import { boundInWords, laterInWords, stateOf } from "./clock-words.ts";
import { type Cluster, type Flag, type Strip, silentOf, stripOf } from "./strip.ts";

/** Pixels between the dots of a cluster. */
const dotDistance = 12;

/** Least and most of the place that a text beside the strip is centred at: so far from an end there is room for it. */
const [leastPlace, mostPlace] = [0.3, 0.7];

/** This device in the middle, the sources that agree as one cluster, and the others as flags that say what they say. */
export function ClockStrip({ status: { sources } }: { readonly status: TimeSync }) {
  const kept = useRef<number | null>(null);
  const strip = stripOf(sources, kept.current);
  const silent = silentOf(sources);
  kept.current = strip?.bound ?? null;
  if (strip === null && silent.length === 0) return null;
  return (
    <div class="clock-strip">
      {strip !== null && (
        <div role="img" aria-label={stripInWords(strip)}>
          <Line strip={strip} />
          {strip.cluster !== null && (
            <div class="clock-cluster" style={around(strip.cluster.place)}>
              {clusterInWords(strip.cluster)}
            </div>
          )}
        </div>
      )}
      {(strip?.flags.length ?? 0) + silent.length > 0 && (
        <ul>
          {strip?.flags.map((flag) => (
            <li key={flag.source.id} class={sideOf(flag)} style={around(flag.place)}>
              <FlagShape />
              <span>
                <bdi>{visible(flag.source.host)}</bdi> {t.clock.says(laterInWords(flag.offset))}
                <Reason source={flag.source} />
              </span>
            </li>
          ))}
          {silent.map((source) => (
            <li key={source.id} class="silent">
              <Shape name="unknown" />
              <span>
                <bdi>{visible(source.host)}</bdi> {stateOf(source)}
                <Reason source={source} />
              </span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Line({ strip: { bound, cluster, flags } }: { readonly strip: Strip }) {
  const end = shortDuration(bound);
  return (
    <>
      <div class="clock-ends">
        <span>← {t.clock.earlier(end)}</span>
        <strong>{t.clock.thisDevice}</strong>
        <span>{t.clock.later(end)} →</span>
      </div>
      <svg aria-hidden="true" width="100%" height="40">
        <line class="clock-scale" x1="0" x2="100%" y1="20" y2="20" />
        <line class="clock-device" x1="50%" x2="50%" y1="2" y2="38" />
        {flags.map(({ source, place }) => (
          <svg key={source.id} aria-hidden="true" x={percent(place)} class="clock-shape">
            {/* Its pennant is turned to where there is room. */}
            <path
              class="clock-flag"
              d={`M0 20v-17h${place > 0.5 ? -12 : 12}l${place > 0.5 ? 3 : -3} 4 ${place > 0.5 ? -3 : 3} 4H0`}
            />
          </svg>
        ))}
        {cluster !== null && (
          <svg aria-hidden="true" x={percent(cluster.place)} class="clock-shape">
            {Array.from({ length: cluster.count }, (_, dot) => (
              <circle
                key={dot}
                class={cluster.isAgreed ? "clock-dot" : "clock-dot hollow"}
                cx={(dot - (cluster.count - 1) / 2) * dotDistance}
                cy="20"
                r="5"
              />
            ))}
          </svg>
        )}
      </svg>
    </>
  );
}

function FlagShape() {
  return (
    <svg aria-hidden="true" class="shape" viewBox="0 0 16 16">
      <path class="full" d="M4 2.5h9l-2.5 3 2.5 3H4Z" />
      <path d="M4 14.5v-12h9l-2.5 3 2.5 3H4" />
    </svg>
  );
}

/** Says why the source does not count. */
function Reason({ source }: { readonly source: TimeSource }) {
  const reason = reasonOf(source);
  return (
    reason !== null && (
      <>
        {" – "}
        <Said sentence={reason} />
      </>
    )
  );
}

/** A box that is as wide to either side of the place as the nearer end allows. */
function around(place: number): Readonly<Record<string, string>> {
  const middle = Math.min(mostPlace, Math.max(leastPlace, place));
  return {
    "--before": percent(Math.max(0, 2 * middle - 1)),
    "--after": percent(Math.max(0, 1 - 2 * middle)),
  };
}

/** A flag at an end has its text there. */
function sideOf({ place }: Flag): string {
  return place < leastPlace ? "low" : place > mostPlace ? "high" : "between";
}

/** `3 agree within 0.1 ms`, and where that is another time than this device's by how much. */
function clusterInWords({ count, spread, offset, isAgreed, place }: Cluster): string {
  const words = isAgreed ? t.clock.agreeWithin(count, boundInWords(spread)) : t.clock.answer(count);
  const isApart = count === 1 || Math.abs(place - 0.5) > 0.05;
  return isApart ? `${words} · ${laterInWords(offset)}` : words;
}

function stripInWords({ cluster, flags }: Strip): string {
  if (cluster === null) return t.clock.noAgreement;
  const { count, spread, offset, isAgreed } = cluster;
  const words = isAgreed ? t.clock.agreeWithin(count, boundInWords(spread)) : t.clock.answer(count);
  return t.clock.strip(words, laterInWords(offset), flags.length);
}
