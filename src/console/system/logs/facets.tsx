import { useState } from "preact/hooks";
import type { LogCounts, LogQuery, SeverityWord } from "../../../contract/types.ts";
import { figure } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { Chips } from "../../lists/filters.tsx";
import { Button } from "../../ui/button.tsx";
import { errorAt } from "../../ui/form/form.tsx";
import { Shape } from "../../ui/shape.tsx";
import { visible } from "../../ui/visible.ts";
import { levelsOf, type UnitCount, unitsOf } from "./log-facets.ts";

/** Services that are shown before the person asks for the others. */
const mostUnits = 8;

/** Takes one filter or two at once; an empty text takes a filter back. */
type Change = (filters: Pick<LogQuery, "unit"> & { readonly priority?: SeverityWord | "" }) => void;

interface ChoiceProps {
  readonly chosen: { readonly unit: string; readonly priority: string };
  readonly onChange: Change;
}

/** Levels and services with the number of their lines; each is one click, and so are the errors of a service. */
export function Facets({
  counts,
  chosen,
  error,
  onChange,
}: ChoiceProps & { readonly counts: LogCounts["units"]; readonly error: unknown }) {
  const levels = levelsOf(counts, chosen);
  return (
    <div class="log-facets chip-row line">
      <Chips
        label={t.logs.level}
        value={chosen.priority}
        options={levels.map(({ level, count }) => ({
          value: level,
          count,
          text: t.logs.atLeast(t.logs.levels[level]),
        }))}
        onChange={(value) => onChange({ priority: value as SeverityWord | "" })}
      />
      <Services units={unitsOf(counts, chosen)} chosen={chosen} onChange={onChange} />
      {/* The address may name a level or a service that is refused. */}
      {["/unit", "/priority"].map((pointer) => {
        const sentence = errorAt(error, pointer);
        // The agent's own sentence about a unit, which is English, names the others.
        const [, readable] = /: ([^;]+);/.exec(sentence ?? "") ?? [];
        return (
          sentence !== null && (
            <p key={pointer} class="error">
              {readable ? t.logs.noUnit(readable) : sentence}
            </p>
          )
        );
      })}
    </div>
  );
}

function Services({ units, chosen, onChange }: ChoiceProps & { readonly units: readonly UnitCount[] }) {
  const [isWhole, setIsWhole] = useState(false);
  const shown = units.filter(({ unit }, place) => isWhole || place < mostUnits || unit === chosen.unit);
  return (
    <fieldset class="chips line">
      <legend class="unseen">{t.logs.service}</legend>
      {shown.map((one) => (
        <Service key={one.unit} of={one} chosen={chosen} onChange={onChange} />
      ))}
      {shown.length < units.length && (
        <Button kind="quiet" onClick={() => setIsWhole(true)}>
          {t.logs.moreServices(units.length - shown.length)}
        </Button>
      )}
    </fieldset>
  );
}

function Service({
  of: { unit, count, errors },
  chosen,
  onChange,
}: ChoiceProps & { readonly of: UnitCount }) {
  const isChosen = unit === chosen.unit;
  const areErrorsChosen = isChosen && chosen.priority === "err";
  const name = visible(unit.replace(/\.service$/, ""));
  return (
    <span class="facet">
      <button
        type="button"
        class="chip"
        aria-pressed={isChosen}
        title={visible(unit)}
        onClick={() => onChange({ unit: isChosen ? "" : unit })}
      >
        <span class="facet-name">{name}</span> <span class="chip-count hint">{figure(count)}</span>
      </button>
      {/* With a level chosen, the number of the service is that of its lines of the level. */}
      {errors > 0 && (chosen.priority === "" || areErrorsChosen) && (
        <button
          type="button"
          class="chip facet-errors"
          aria-pressed={areErrorsChosen}
          aria-label={t.logs.errorsOf(name, errors)}
          title={t.logs.errorsOf(name, errors)}
          onClick={() => onChange(areErrorsChosen ? { unit: "", priority: "" } : { unit, priority: "err" })}
        >
          <Shape name="wrong" /> {figure(errors)}
        </button>
      )}
    </span>
  );
}
