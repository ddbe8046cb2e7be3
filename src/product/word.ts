import type { ErrorCode } from "../contract/error-codes.ts";
import { StewardError } from "../contract/errors.ts";
import { productEvent } from "../journal/events/event.ts";
import { openNeeds } from "../system/need-watch.ts";
import { createProductNeeds } from "./product-needs.ts";
import { createReportedEvents, type ReportedEventsOptions } from "./reported-events.ts";
import { numbersIn, type ProductReport, sentencesOf } from "./reports.ts";

export type WordAnswer =
  | { readonly status: "taken" }
  | { readonly status: "refused"; readonly code: ErrorCode; readonly detail: string };

/** The events and needs that the product's units report (docs/design/product.md, rules 12 to 14). */
export interface ProductWord {
  /** Judges a line of this unit: an event, a need or its end. */
  take(unit: string, line: unknown): WordAnswer;
}

export interface WordOptions extends ReportedEventsOptions {
  readonly reports: readonly ProductReport[];
  /** The events of the record about needs, in any order. */
  readonly told: () => Promise<Parameters<typeof openNeeds>[0]>;
}

export function createWord({ reports, told, ...options }: WordOptions) {
  const ofCode = new Map(reports.map((report) => [report.code, report]));
  const [needs, events] = [createProductNeeds(options.uptime), createReportedEvents(options)];
  const judge = (unit: string, line: unknown): void => {
    const { verb, code, numbers } = wordsOf(line);
    const report = ofCode.get(code);
    if (report === undefined) throw unknownCode(code, ofCode);
    if (verb === "ok") {
      needs.end(code);
      return;
    }
    const sentences = sentencesOf(report, numbersFor(report, numbers));
    const { level, isMessage: is_message } = report;
    if (verb === "need") needs.begin(report, unit, sentences);
    else events.add(code, productEvent("product.reported", unit, { code, level, is_message, ...sentences }));
  };
  return {
    take: (unit: string, line: unknown): WordAnswer => {
      try {
        judge(unit, line);
        return { status: "taken" };
      } catch (error) {
        if (!(error instanceof StewardError)) throw error;
        return { status: "refused", code: error.code, detail: error.message };
      }
    },
    /** The needs that the product has reported and not ended. */
    needs: needs.present,
    /** Takes up the needs that began before the agent's start, before the product is heard. */
    start: async (): Promise<void> => {
      // A record that cannot be read says so in health; the product repeats its needs.
      const known = await told().catch(() => []);
      needs.adopt(ofCode, openNeeds(known).values());
    },
    /** Writes the events that are only counted. */
    stop: events.close,
  } satisfies ProductWord & Record<string, unknown>;
}

const verbs = ["event", "need", "ok"] as const;

function wordsOf(line: unknown) {
  const members = typeof line === "object" && line !== null && !Array.isArray(line) ? line : {};
  const { numbers = {}, ...others } = members as Readonly<Record<string, unknown>>;
  const [verb, ...more] = Object.keys(others);
  const known = verbs.find((one) => one === verb);
  const code = known && others[known];
  if (known !== undefined && typeof code === "string" && more.length === 0)
    return { verb: known, code, numbers };
  const text =
    'A line is an object with a code of product.reports as "event", "need" or "ok", and "numbers" where its sentence has places for some, such as {"need":"pressure_low","numbers":{"bar":1.2}}.';
  throw new StewardError("malformed_request", text);
}

function unknownCode(code: string, known: ReadonlyMap<string, unknown>): StewardError {
  const codes = [...known.keys()].join(", ") || "none";
  const text = `product.reports in the host file has no code ${JSON.stringify(code.slice(0, 40))}. It has: ${codes}. Add it there, and restart the agent.`;
  return new StewardError("not_found", text);
}

/** All numbers of its sentence and no other. Throws `validation_failed`. */
function numbersFor({ code, text }: ProductReport, given: unknown): Readonly<Record<string, number>> {
  const wanted = numbersIn(text.en);
  const numbers = typeof given === "object" && given !== null ? given : {};
  const isRight =
    String(Object.keys(numbers).sort()) === String(wanted) && Object.values(numbers).every(Number.isFinite);
  if (isRight) return numbers as Readonly<Record<string, number>>;
  const names = wanted.length === 0 ? "no numbers" : `these numbers and no other: ${wanted.join(", ")}`;
  throw new StewardError("validation_failed", `${code} takes ${names}. Each is a JSON number.`);
}
