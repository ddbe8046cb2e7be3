import { t } from "../../catalogue/words.ts";
import { Plot } from "../../plot/plot.tsx";
import { endInWords, figuresInWords, worstInWords } from "./figure-words.ts";
import { axisOf, bandsOf, pointsOf, type Series, type Steps } from "./series.ts";
import { type Marked, Marks } from "./time-axis.tsx";

/** The plot of one series, which a screen reader hears as its figures in short. */
export function SeriesPlot({
  series,
  steps,
  ...marked
}: { readonly series: Series; readonly steps: Steps } & Marked) {
  const { name, mean, worst } = series;
  const axis = axisOf(series);
  const bands = bandsOf(series, steps);
  const words = `${t.history.plots[name]}: ${figuresInWords(series, 0, steps.count)}; ${worstInWords(series, steps)}`;
  return (
    <div role="img" aria-label={words}>
      <Plot
        ends={{ time: marked.time, axis }}
        high={endInWords(name, axis, axis.high)}
        low={endInWords(name, axis, axis.low)}
        line={pointsOf(mean, steps)}
        worst={pointsOf(worst, steps)}
        {...(bands && { bands })}
        behind={<Marks {...marked} />}
      />
    </div>
  );
}
