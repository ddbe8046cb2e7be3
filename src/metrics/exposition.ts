import {
  type MetricFamily,
  type MetricLabels,
  type MetricName,
  metricFamilies,
} from "../contract/metrics.ts";
import type { HistogramReading } from "./histogram.ts";

/** Values of the contract's metrics, written in Prometheus' text format 0.0.4. */
export interface Exposition {
  /** Leaves an unknown value (null) out. */
  add<Name extends MetricName>(name: Name, value: number | null, labels: MetricLabels<Name>): void;
  /** 1 for `present` and 0 for every other value of the label; null: all of them are 0. */
  addStates<Name extends MetricName>(
    name: Name,
    label: keyof MetricLabels<Name>,
    all: readonly string[],
    present: string | null,
  ): void;
  addHistogram<Name extends MetricName>(
    name: Name,
    reading: HistogramReading,
    labels: MetricLabels<Name>,
  ): void;
  /** The families in the contract's order; one without a value is left out. */
  text(): string;
}

export function createExposition(): Exposition {
  const lines = new Map<MetricName, string>();
  const write = (
    name: MetricName,
    suffix: string,
    labels: Readonly<Record<string, string>>,
    value: number,
  ): void => {
    const line = `${name}${suffix}${labelText(labels)} ${numberText(value)}\n`;
    lines.set(name, `${lines.get(name) ?? ""}${line}`);
  };
  return {
    add: (name, value, labels) => {
      if (value !== null) write(name, "", labels, value);
    },
    addStates: (name, label, all, present) => {
      for (const state of all) write(name, "", { [label]: state }, state === present ? 1 : 0);
    },
    addHistogram: (name, { cumulative, sum }, labels) => {
      for (const { bound, count } of cumulative) {
        write(name, "_bucket", { ...labels, le: numberText(bound) }, count);
      }
      write(name, "_sum", labels, sum);
      write(name, "_count", labels, cumulative.at(-1)?.count ?? 0);
    },
    text: () =>
      names
        .map((name) => {
          const values = lines.get(name);
          return values === undefined ? "" : `${headOf(name)}${values}`;
        })
        .join(""),
  };
}

const names = Object.keys(metricFamilies) as MetricName[];

/** Made once, since they never change. */
const heads = new Map<MetricName, string>();

function headOf(name: MetricName): string {
  const known = heads.get(name);
  if (known !== undefined) return known;
  const head = writtenHead(name);
  heads.set(name, head);
  return head;
}

function writtenHead(name: MetricName): string {
  const { help, type }: MetricFamily = metricFamilies[name];
  return `# HELP ${name} ${help.replace(/\\/g, "\\\\").replace(/\n/g, "\\n")}\n# TYPE ${name} ${type}\n`;
}

/** Every line of an answer passes here, so it makes no lists in between. */
function labelText(labels: Readonly<Record<string, string>>): string {
  let text = "";
  for (const name of Object.keys(labels)) {
    text += `${text === "" ? "{" : ","}${name}="${escapedLabel(labels[name] ?? "")}"`;
  }
  return text === "" ? "" : `${text}}`;
}

function escapedLabel(value: string): string {
  if (!/[\\"\n]/.test(value)) return value;
  return value.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n");
}

function numberText(value: number): string {
  if (value === Number.POSITIVE_INFINITY) return "+Inf";
  return value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);
}
