import { useState } from "preact/hooks";
import { counted } from "../../catalogue/formats.ts";
import { locale, t } from "../../catalogue/words.ts";
import { type Edited, Field, type FieldProps } from "./field.tsx";

/** Units by their letters, the smallest first, with their seconds. */
const units = {
  ms: ["millisecond", 0.001],
  s: ["second", 1],
  m: ["minute", 60],
  h: ["hour", 3_600],
  d: ["day", 86_400],
} as const;

type Letter = keyof typeof units;

const letters = Object.keys(units) as Letter[];

/** A length of time as number and unit. Text with units, such as `1h30m`, is understood; other text stays for the agent. */
export function DurationField({
  value,
  onInput,
  isFirst = false,
  ...about
}: FieldProps & Edited<string> & { readonly isFirst?: boolean }) {
  const parts = partsOf(value);
  const [chosen, choose] = useState<Letter>("m");
  const unit = parts?.unit ?? chosen;
  /** The text while a person types it; null: the field has been left. */
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <Field
      {...about}
      control={(ids) => (
        <div class="duration">
          <input
            {...ids}
            inputMode="numeric"
            autocomplete="off"
            spellcheck={false}
            data-first={isFirst ? "" : undefined}
            value={typed ?? parts?.number ?? value}
            onInput={({ currentTarget }) => {
              setTyped(currentTarget.value);
              onInput(meant(currentTarget.value.trim(), unit));
            }}
            onBlur={() => setTyped(null)}
          />
          <select
            aria-label={t.ui.unit}
            aria-describedby={ids.id}
            value={unit}
            onChange={({ currentTarget }) => {
              const next = currentTarget.value as Letter;
              choose(next);
              if (parts !== null) onInput(`${parts.number}${next}`);
            }}
          >
            {letters
              .filter((letter) => letter !== "ms" || unit === letter)
              .map((letter) => (
                <option key={letter} value={letter} selected={letter === unit}>
                  {unitName(letter)}
                </option>
              ))}
          </select>
        </div>
      )}
    />
  );
}

/** `60 minutes`, `1 hour 30 minutes`: a duration as people read it. */
export function durationSaid(value: string): string {
  return value
    .replaceAll(
      /(\d+)(ms|[smhd])/g,
      (_, number: string, letter: Letter) => ` ${counted(Number(number), units[letter][0])}`,
    )
    .trim();
}

function unitName(letter: Letter): string {
  const format = { style: "unit", unit: units[letter][0], unitDisplay: "long" } as const;
  const parts = new Intl.NumberFormat(locale, format).formatToParts(2);
  return parts.find(({ type }) => type === "unit")?.value ?? letter;
}

/** null: it is no duration, or one of seconds and parts of one. */
function partsOf(value: string): { readonly number: string; readonly unit: Letter } | null {
  const [, number, letter] = /^(\d{1,9})(ms|[smhd])$/.exec(value) ?? [];
  if (number !== undefined) return { number, unit: letter as Letter };
  if (!/^(?=.)(\d{1,9}d)?(\d{1,9}h)?(\d{1,9}m)?(\d{1,9}s)?$/.test(value)) return null;
  let seconds = 0;
  for (const [, count, one] of value.matchAll(/(\d+)([smhd])/g))
    seconds += Number(count) * units[one as Letter][1];
  const unit = letters.findLast((one) => seconds % units[one][1] === 0) ?? "s";
  return { number: String(seconds / units[unit][1]), unit };
}

/** Adds the unit that is chosen, unless the text has one. */
function meant(text: string, unit: Letter): string {
  if (/^\d+$/.test(text)) return `${text}${unit}`;
  const parts = partsOf(text);
  return parts === null ? text : `${parts.number}${parts.unit}`;
}
