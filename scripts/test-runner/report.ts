import { Readable } from "node:stream";
import { spec } from "node:test/reporters";
import { inspect } from "node:util";

/** `run` of node:test gives these. */
export interface RunEvent {
  readonly type: string;
  readonly data: unknown;
}

/** The members that events have of a test, a suite, or a whole file. */
interface Result {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly message?: string;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: {
    readonly type?: string;
    readonly passed?: boolean;
    readonly error?: { failureType?: string; cause?: unknown; exitCode?: number; signal?: string };
  };
}

/** The members of node's summary that are counts, in its order. */
const counted = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"];

/**
 * Says how the processes of a run ended: a line each, with what its tests print and what failed; then each skip with its
 * reason, the names of all failures, and node's own summary. A skip without a reason is a failure, and so are a file in
 * which no test ran and a process that ended before its tests.
 */
export class Report {
  readonly #say: (text: string) => void;
  readonly #skips: string[] = [];
  readonly #failures: string[] = [];
  readonly #counts = new Map<string, number>();

  /** `say` takes one line or several. */
  constructor(say: (text: string) => void) {
    this.#say = say;
  }

  hasFailures(): boolean {
    return this.#failures.length > 0;
  }

  /** Takes the events of a process with these compiled test files, to their end. */
  async takeProcess(name: string, files: readonly string[], events: AsyncIterable<RunEvent>): Promise<void> {
    const record = new ProcessRecord(name, files);
    for await (const event of events) record.take(event);
    record.end();
    const { failures, skips, printed, passed, counts } = record;
    const failed = failures.length > 0 ? `, ${failures.length} failed` : "";
    const seconds = ((counts.get("duration_ms") ?? 0) / 1_000).toFixed(1);
    const line = `${failed ? "✖" : "✔"} ${name}: ${passed} passed${failed} (${seconds} s)`;
    const below = [...printed, ...failures].map((text) => text.replace(/^(?=.)/gm, "    "));
    this.#say([line, ...below].join("\n"));
    this.#skips.push(...skips);
    this.#failures.push(...failures);
    // Node counts a failed test once more for the test around it, and a suite whose hook has failed not at all.
    counts.set("fail", failures.length);
    for (const one of counted) this.#counts.set(one, (this.#counts.get(one) ?? 0) + (counts.get(one) ?? 0));
  }

  /** The failures come right before node's summary: a log that keeps only its last lines keeps them too. */
  async tellEnd(seconds: number): Promise<void> {
    if (this.#skips.length > 0) this.#say(`\nNot run here:\n    ${this.#skips.join("\n    ")}`);
    if (this.hasFailures()) this.#say(`\n${this.#failures.length} failed, in full above:`);
    for (const failure of this.#failures) this.#say(failure.split("\n").slice(0, 2).join("\n    "));
    this.#say("");
    const lines = counted.map((name) => `${name} ${this.#counts.get(name) ?? 0}`);
    const summary = [...lines, `duration_ms ${Math.round(seconds * 1_000)}`].map((message) => ({
      ...{ type: "test:diagnostic", data: { nesting: 0, message } },
    }));
    for await (const text of Readable.from(summary).compose(new spec())) this.#say(String(text).trimEnd());
  }
}

/** The results of the files of one process so far. */
class ProcessRecord {
  readonly skips: string[] = [];
  readonly failures: string[] = [];
  readonly printed: string[] = [];
  readonly counts = new Map<string, number>();
  passed = 0;
  readonly #name: string;
  /** Files in which no test has ended yet. A file with its own process may leave all of them to another module. */
  readonly #silent: Set<string>;
  /** The suites and the test that the present results belong to have these names, and those that were begun last. */
  readonly #names: string[] = [];
  readonly #begun: string[] = [];

  constructor(name: string, files: readonly string[]) {
    this.#name = name;
    this.#silent = new Set(files.length > 1 ? files : []);
  }

  take({ type, data }: RunEvent): void {
    const result = data as Result;
    const { name, nesting, file, message = "" } = result;
    const names = this.#names.slice(0, nesting + 1);
    const [, count, value] = /^(\w+) ([\d.]+)$/.exec(message) ?? [];
    if (type === "test:dequeue") this.#begun[nesting] = name;
    else if (type === "test:start") this.#names[nesting] = name;
    else if (nesting === 0 && file !== undefined && name === file) this.#takeEnd(type, result);
    else if (type === "test:fail") this.#takeFailure(result, names);
    else if (type === "test:pass") this.#takePass(result, names);
    else if (type === "test:diagnostic" && file === undefined && count) this.counts.set(count, Number(value));
    else if (/^test:(stdout|stderr|diagnostic)$/.test(type)) this.printed.push(message.trimEnd());
  }

  end(): void {
    if (this.failures.length > 0) return;
    for (const file of this.passed === 0 ? [this.#name] : this.#silent)
      this.#fail([], file, "no test ran in this file");
  }

  /** A hook outside of all suites fails under the name of its module. A process that was killed has reported no test's end. */
  #takeEnd(type: string, result: Result): void {
    const { passed, error } = result.details ?? {};
    if (type === "test:fail" && error?.failureType === "hookFailed") this.#takeFailure(result, []);
    if (type !== "test:complete" || passed !== false || this.failures.length > 0) return;
    const how = error?.signal ?? `exit code ${error?.exitCode}`;
    this.#fail(this.#begun, result.file, `the process ended early: ${how}`);
  }

  /** Leaves out what follows from another failure, and a test that is still to be written. */
  #takeFailure({ file, line, column, todo, details: { error } }: Result, names: readonly string[]): void {
    const follows = ["cancelledByParent", "subtestsFailed"].includes(error?.failureType ?? "");
    if (follows || (todo !== undefined && todo !== false)) return;
    const cause = error?.cause ?? error;
    // Without the lines of node's own frames.
    const words = typeof cause === "string" ? cause : inspect(cause).replace(/^ +at .*\(node:.*\n/gm, "");
    const hook = error?.failureType === "hookFailed" ? "a hook of " : "";
    this.#fail(names, `${file}:${line}:${column}`, words, hook);
  }

  #takePass({ file = "", skip, details }: Result, names: readonly string[]): void {
    this.#silent.delete(file);
    if (typeof skip === "string" && skip !== "")
      this.skips.push(`${[this.#name, ...names].join(" > ")}: ${skip}`);
    else if (skip !== undefined && skip !== false) this.#fail(names, file, "skipped without a reason");
    else if (details.type !== "suite") this.passed += 1;
  }

  #fail(names: readonly string[], where: string | undefined, words: string, hook = ""): void {
    const place = [this.#name, ...names.filter((name) => name !== where)].join(" > ");
    this.failures.push(`✖ ${hook}${place} (${where})\n${words}`);
  }
}
