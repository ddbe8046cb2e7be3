/** A report that the product may make, as root has decided in the host file. */
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
