/** An event or a need that the product may report, as root has decided in the host file. */
export interface ProductReport {
  readonly code: string;
  readonly level: "notice" | "attention" | "failing";
  /** `{bar}` is the place of a number. */
  readonly text: { readonly en: string; readonly de?: string };
  /** The page that helps, and the path there; null: none. */
  readonly page: string | null;
  readonly path: string;
  /** People hear of the event. */
  readonly isMessage: boolean;
  /** Seconds within which a need is repeated. */
  readonly ttlSeconds: number;
}

/** The names of a sentence's numbers, each once, sorted. */
export function numbersIn(sentence: string): string[] {
  return [...new Set([...sentence.matchAll(placeForm)].map(([, name = ""]) => name))].sort();
}

/** A place of a number in a sentence. */
export const placeForm = /\{([a-z][a-z0-9_]{0,19})\}/g;

/** The report's sentences with these numbers in their places, without a full stop: they are titles as well. */
export function sentencesOf({ text: { en, de } }: ProductReport, numbers: Readonly<Record<string, number>>) {
  const filled = (sentence: string, mark: string): string =>
    sentence
      .replace(placeForm, (_, name: string) => figureOf(numbers[name]).replace(".", mark))
      .replace(/\.$/, "");
  return { en: filled(en, "."), ...(de !== undefined && { de: filled(de, ",") }) };
}

/** Twelve digits: more show how a processor calculates, such as 0.30000000000000004. */
function figureOf(number = 0): string {
  return String(Number(number.toPrecision(12)));
}
