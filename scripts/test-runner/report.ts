import { Readable } from "node:stream";
import { spec } from "node:test/reporters";
import { inspect } from "node:util";

/** `run` of node:test gives these. */
export interface RunEvent {
  readonly type: string;
  readonly data: unknown;
}

/** The members that events have of a test, a suite, or a whole file. */
interface Told {
  readonly name: string;
  readonly nesting: number;
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly skip?: string | boolean;
  readonly todo?: string | boolean;
  readonly details: { readonly type?: string; readonly passed: boolean; readonly error?: TestError };
}

interface TestError {
  readonly failureType?: string;
  readonly cause?: unknown;
}

interface Failure {
  /** The file, and the names down to the test. */
  readonly place: string;
  readonly where: string;
  readonly error: unknown;
  readonly isHook: boolean;
}

/** The members of node's summary that are counts, in its order. */
const counted = ["tests", "suites", "pass", "fail", "cancelled", "skipped", "todo"] as const;

/**
 * Tells what the files of a run did: a line each as it ends, with what its tests print and what failed; then each skip
 * with its reason and a list of all failures, those of hooks first because they cause others. A skip without a reason is
 * a failure, and so is a file in which no test ran. Node's own summary comes last.
 */
export class Report {
  readonly #say: (text: string) => void;
  readonly #skips: string[] = [];
  readonly #failures: Failure[] = [];
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
    this.#say(record.told());
    this.#skips.push(...record.skips);
    this.#failures.push(...record.failures);
    for (const name of counted) this.#counts.set(name, (this.#counts.get(name) ?? 0) + record.countOf(name));
  }

  /**
   * Says what is known only when all files have ended. The failures come right before node's summary: a log that keeps
   * only its last lines keeps them too.
   */
  async tellEnd(table: readonly string[], seconds: number): Promise<void> {
    if (this.#skips.length > 0) this.#say(`\nNot run here:\n${indented(this.#skips.join("\n"))}`);
    this.#say(`\n${table.join("\n")}`);
    if (this.hasFailures()) this.#say(`\n${this.#failures.length} failed, told in full above:`);
    for (const failure of hooksFirst(this.#failures)) {
      const [firstLine = ""] = wordsOf(failure).split("\n");
      this.#say(`${headOf(failure)}\n${indented(firstLine)}`);
    }
    this.#say("");
    const lines = counted.map((name) => `${name} ${this.#counts.get(name) ?? 0}`);
    const summary = [...lines, `duration_ms ${Math.round(seconds * 1_000)}`].map((message) => ({
      type: "test:diagnostic",
      data: { nesting: 0, message },
    }));
    for await (const text of Readable.from(summary).compose(new spec())) this.#say(String(text).trimEnd());
  }
}

/** The results of the files of one process so far. */
class ProcessRecord {
  readonly skips: string[] = [];
  readonly failures: Failure[] = [];
  readonly #name: string;
  /**
   * Files of several in which no test or suite has ended yet. A file with its own process may leave all of them to
   * another module.
   */
  readonly #silent: Set<string>;
  /** The suites and the test that the present results belong to have these names. */
  readonly #names: string[] = [];
  /** The suites and tests that were begun last have these names. Others report meanwhile, when several run at once. */
  readonly #begun: string[] = [];
  readonly #printed: string[] = [];
  readonly #counts = new Map<string, number>();
  #passed = 0;
  #seconds = 0;

  constructor(name: string, files: readonly string[]) {
    this.#name = name;
    this.#silent = new Set(files.length > 1 ? files : []);
  }

  take({ type, data }: RunEvent): void {
    const told = data as Told & { message: string };
    const isFile = told.nesting === 0 && told.name === told.file;
    if (!isFile && type === "test:pass" && told.file !== undefined) this.#silent.delete(told.file);
    if (type === "test:dequeue") this.#begun[told.nesting] = told.name;
    else if (type === "test:start") this.#names[told.nesting] = told.name;
    else if (isFile && type === "test:complete") {
      if (!told.details.passed) this.#takeResult(told, false, this.#begun);
    }
    // A hook outside of all suites fails under the name of its module, and the process only because of it.
    else if (isFile && type === "test:fail" && told.details.error?.failureType === "hookFailed")
      this.#takeResult(told, false, []);
    // Node says twice of tests that ran at once that they are complete, but once and in order how each ended.
    else if (!isFile && (type === "test:pass" || type === "test:fail"))
      this.#takeResult(told, type === "test:pass", this.#names.slice(0, told.nesting + 1));
    else if (type === "test:diagnostic" && told.file === undefined) this.#takeCount(told.message);
    else if (["test:stdout", "test:stderr", "test:diagnostic"].includes(type)) {
      this.#printed.push(told.message.trimEnd());
    }
  }

  end(): void {
    if (this.failures.length > 0) return;
    const silent = this.#passed === 0 ? [this.#name] : [...this.#silent];
    for (const file of silent)
      this.#ownFailure("no test ran in this file", { place: this.#name, where: file });
  }

  /** One line, what the tests printed, and what failed and why. */
  told(): string {
    const { length } = this.failures;
    const cancelled = this.#counts.get("cancelled") ?? 0;
    const counts = [
      `${this.#passed} passed`,
      ...(length > 0 ? [`${length} failed`] : []),
      ...(cancelled > 0 ? [`${cancelled} not begun`] : []),
    ];
    const line = `${length > 0 ? "✖" : "✔"} ${this.#name}: ${counts.join(", ")} (${this.#seconds.toFixed(1)} s)`;
    const failed = hooksFirst(this.failures).map(
      (failure) => `${headOf(failure)}\n${indented(wordsOf(failure))}`,
    );
    return [line, ...[...this.#printed, ...failed].map(indented)].join("\n");
  }

  /**
   * One of node's counts. Node counts a failed test once more for the test around it, and a suite whose hook has failed
   * not at all: so the failures are those that this report lists.
   */
  countOf(name: (typeof counted)[number]): number {
    return name === "fail" ? this.failures.length : (this.#counts.get(name) ?? 0);
  }

  #takeCount(message: string): void {
    const [name = "", value] = message.split(" ");
    if (name === "duration_ms") this.#seconds = Number(value) / 1_000;
    this.#counts.set(name, Number(value));
  }

  /** A file that was killed has reported no test's end: what it had begun says most. */
  #takeResult({ file, line, column, skip, todo, details }: Told, passed: boolean, names: string[]): void {
    const { error, type } = details;
    const path = names.filter((one) => one !== file);
    const at = { place: [this.#name, ...path].join(" > "), where: `${file}:${line}:${column}` };
    const isTodo = todo !== undefined && todo !== false;
    const follows = ["cancelledByParent", "subtestsFailed"].includes(error?.failureType ?? "");
    if (!passed) {
      if (isTodo || follows) return;
      this.failures.push({
        ...at,
        error: error?.cause ?? error,
        isHook: error?.failureType === "hookFailed",
      });
    } else if (typeof skip === "string" && skip !== "") this.skips.push(`${at.place}: ${skip}`);
    else if (skip !== undefined && skip !== false) this.#ownFailure("skipped without a reason", at);
    else if (type !== "suite") this.#passed += 1;
  }

  #ownFailure(error: string, at: Pick<Failure, "place" | "where">): void {
    this.failures.push({ ...at, error, isHook: false });
  }
}

function hooksFirst(failures: readonly Failure[]): readonly Failure[] {
  return failures.toSorted((one, other) => Number(other.isHook) - Number(one.isHook));
}

function headOf({ place, where, isHook }: Failure): string {
  return `✖ ${isHook ? "a hook of " : ""}${place} (${where})`;
}

/** The error, without the lines of node's own frames. */
function wordsOf({ error }: Failure): string {
  return typeof error === "string" ? error : inspect(error).replace(/^ +at .*\(node:.*\n/gm, "");
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, "    ");
}
