import {
  type MetricFamily,
  type MetricLabels,
  type MetricName,
  metricFamilies,
} from "../../contract/metrics.ts";
import type { HistogramReading } from "./histogram.ts";

export interface MetricSink {
  /** Leaves an unknown value (null) out. */
  add<Name extends MetricName>(name: Name, value: number | null, labels: MetricLabels<Name>): void;
  addCounts<Name extends MetricName>(name: Name, counts: Iterable<Count<MetricLabels<Name>>>): void;
  /** 1 for each value of the label that is `present`, and 0 for every other; null: all of them are 0. */
  addStates<Name extends MetricName>(
    name: Name,
    label: keyof MetricLabels<Name>,
    all: readonly string[],
    present: string | null | ReadonlySet<string>,
  ): void;
  addHistogram<Name extends MetricName>(
    name: Name,
    reading: HistogramReading,
    labels: MetricLabels<Name>,
  ): void;
}

/** Values that are written in Prometheus' text format 0.0.4. */
export interface Exposition extends MetricSink {
  /** The families in the contract's order; one without a value is left out. The next text begins without values. */
  text(): string;
}

export interface Count<Labels> {
  readonly labels: Labels;
  readonly count: number;
}

/** Its texts follow one another, as a device's scrapes do: only lines with other values are written again. */
export function createExposition(): Exposition {
  const families = new Map<MetricName, Family>();
  const familyOf = (name: MetricName): Family => {
    const known = families.get(name);
    if (known !== undefined) return known;
    const family = new Family(name);
    families.set(name, family);
    return family;
  };
  return {
    add: (name, value, labels) => {
      if (value !== null) familyOf(name).put("", labels, null, value);
    },
    addCounts: (name, counts) => {
      const family = familyOf(name);
      for (const { labels, count } of counts) family.put("", labels, null, count);
    },
    addStates: (name, label, all, present) => familyOf(name).putStates(label, all, present),
    addHistogram: (name, { cumulative, sum }, labels) => {
      const family = familyOf(name);
      for (const { bound, count } of cumulative) family.put("_bucket", labels, bound, count);
      family.put("_sum", labels, null, sum);
      family.put("_count", labels, null, cumulative.at(-1)?.count ?? 0);
    },
    text: () => {
      const parts: string[] = [];
      for (const name of names) families.get(name)?.takeTo(parts);
      return parts.join("");
    },
  };
}

const names = Object.keys(metricFamilies) as MetricName[];

type Labels = Readonly<Record<string, string>>;

interface Line {
  readonly suffix: string;
  readonly labels: Labels;
  /** The upper bound of a bucket. */
  readonly bound: number | null;
  readonly value: number;
  readonly series: string;
}

class Family {
  readonly #name: MetricName;
  readonly #head: string;
  readonly #lines: Line[] = [];
  /** The texts of the lines, and of some lines each together, the first with the head; a part that has changed is empty. */
  readonly #texts: string[] = [];
  readonly #parts: string[] = [];
  #states: readonly { readonly state: string; readonly labels: Labels }[] = [];
  /** The list that they are made from. */
  #all: readonly string[] | undefined;
  /** Lines of the present text so far. */
  #count = 0;
  #hasChanged = false;

  constructor(name: MetricName) {
    this.#name = name;
    this.#head = headOf(name);
  }

  put(suffix: string, labels: Labels, bound: number | null, value: number): void {
    const former = this.#lines[this.#count];
    const isSeries = former !== undefined && isOfSeries(former, suffix, labels, bound);
    if (!isSeries || former.value !== value) {
      const series = isSeries ? former.series : seriesText(`${this.#name}${suffix}`, labels, bound);
      // Member by member: lines made by a spread would make the comparison several times slower.
      this.#lines[this.#count] = { suffix, labels, bound, value, series };
      this.#texts[this.#count] = `${series} ${numberText(value)}\n`;
      this.#parts[Math.floor(this.#count / linesOfPart)] = "";
      this.#hasChanged = true;
    }
    this.#count += 1;
  }

  putStates(label: string, all: readonly string[], present: string | null | ReadonlySet<string>): void {
    if (this.#all !== all) {
      this.#all = all;
      this.#states = all.map((state) => ({ state, labels: { [label]: state } }));
    }
    for (const { state, labels } of this.#states) {
      const isPresent = typeof present === "object" ? (present?.has(state) ?? false) : state === present;
      this.put("", labels, null, isPresent ? 1 : 0);
    }
  }

  /** Adds the parts of the text; the next one begins. */
  takeTo(parts: string[]): void {
    if (this.#hasChanged || this.#count < this.#lines.length) this.#write();
    for (const part of this.#parts) parts.push(part);
    this.#count = 0;
    this.#hasChanged = false;
  }

  #write(): void {
    if (this.#count < this.#lines.length) {
      this.#lines.length = this.#count;
      this.#texts.length = this.#count;
      this.#parts.length = Math.ceil(this.#count / linesOfPart);
      this.#parts.fill("", -1);
    }
    // Joined, not added: V8 would keep what is added as pieces, and copy them again for each answer.
    for (const [part, text] of this.#parts.entries()) {
      const first = part * linesOfPart;
      if (text !== "") continue;
      const lines = this.#texts.slice(first, first + linesOfPart);
      this.#parts[part] = (part === 0 ? [this.#head, ...lines] : lines).join("");
    }
  }
}

/** The counts of requests are the longest metric, of which one or two lines change from one scrape to the next. */
const linesOfPart = 16;

/** Counts pass the same labels each time; all series of a metric have labels of the same names. */
function isOfSeries(line: Line, suffix: string, labels: Labels, bound: number | null): boolean {
  if (line.bound !== bound || line.suffix !== suffix) return false;
  if (line.labels === labels) return true;
  for (const name in labels) if (line.labels[name] !== labels[name]) return false;
  return true;
}

function headOf(name: MetricName): string {
  const { help, type }: MetricFamily = metricFamilies[name];
  return `# HELP ${name} ${help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}\n# TYPE ${name} ${type}\n`;
}

function seriesText(name: string, labels: Labels, bound: number | null): string {
  const all = bound === null ? labels : { ...labels, le: numberText(bound) };
  const texts = Object.entries(all).map(([label, value]) => `${label}="${escapedLabel(value)}"`);
  return texts.length === 0 ? name : `${name}{${texts.join(",")}}`;
}

function escapedLabel(value: string): string {
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
