import { StewardError } from "../../contract/errors.ts";
import { newestEntry } from "../../releases/journal-queries.ts";
import type { UpdateKind } from "../../releases/release.ts";
import type { ReleaseWatch } from "../status/release-watch.ts";
import { nameOf } from "../status/update-summary.ts";
import type { Handing } from "../update-parts.ts";
import type { InstallRequest, UpdaterOptions } from "../updater-options.ts";
import { refusedSeconds } from "./apply-conditions.ts";
import type { Refusal } from "./apply-decision.ts";
import { withoutWord } from "./apply-refusals.ts";

/** Asks root's side one thing after the other, and keeps what it could not be asked for. */
export interface Asking {
  handing(): Handing | null;
  /** What went wrong last, in a sentence; null: nothing, or it is past. */
  problem(): string | null;
  /** What could not be asked for, by id. */
  failures(): ReadonlyMap<string, Refusal>;
  /** Settles when the journal says what came of it, or it is told that nothing did. Throws the signal's reason alone. */
  ask(request: InstallRequest, about: AskedRelease, signal: AbortSignal): Promise<void>;
  /** Tells what went wrong before anything was asked. */
  tell(error: unknown): void;
  forget(): void;
}

/** What is to be installed, or gone back from. */
export interface AskedRelease {
  readonly kind: UpdateKind;
  readonly id: string;
  readonly name: string;
  readonly version: string;
}

export interface AskingPlan {
  readonly options: UpdaterOptions;
  readonly watch: () => ReleaseWatch;
  /** Root's side was asked, or has answered. */
  readonly onMove: () => void;
}

interface Failure {
  /** Half a sentence. */
  readonly text: string;
  readonly code: string;
  /** Seconds of uptime. */
  readonly until: number;
}

/** Seconds after which root's side is asked again unasked, when it could not be asked at all. */
const askAgainSeconds = 3_600;

export function createAsking(plan: AskingPlan): Asking {
  return new OneAfterTheOther(plan);
}

class OneAfterTheOther implements Asking {
  readonly #plan: AskingPlan;
  readonly #failures = new Map<string, Failure>();
  #handing: Handing | null = null;
  #problem: string | null = null;

  constructor(plan: AskingPlan) {
    this.#plan = plan;
  }

  handing(): Handing | null {
    return this.#handing;
  }

  problem(): string | null {
    return this.#problem;
  }

  failures(): ReadonlyMap<string, Refusal> {
    const { uptime, now } = this.#plan.options;
    const standing = [...this.#failures].filter(([, { until }]) => until > uptime());
    const refusals = standing.map(([id, { text, until }]) => {
      const again = new Date(now().getTime() + (until - uptime()) * 1_000);
      const sentence = `${text}, and is asked again at ${again.toISOString()}`;
      return [id, { text: sentence, until: again }] as const;
    });
    return new Map(refusals);
  }

  async ask(request: InstallRequest, about: AskedRelease, signal: AbortSignal): Promise<void> {
    const watch = this.#plan.watch();
    const { sequence } = watch.journal();
    const letGo = watch.hold();
    this.#handing = handingOf(request, about);
    this.#plan.onMove();
    let failure: unknown;
    try {
      await this.#plan.options.installer.ask(request, signal);
    } catch (error) {
      failure = error;
    }
    letGo();
    // While it still counts as handed over: what root's side has written is to be known before anything else begins.
    await watch.look();
    this.#handing = null;
    signal.throwIfAborted();
    const journal = watch.journal();
    const hasWord = journal.sequence !== sequence || journal.slots[about.kind].trial !== null;
    const last = newestEntry(journal, about.kind);
    const isRefused = last?.outcome === "refused" && last.release_id === about.id && last.sequence > sequence;
    if (isRefused) this.#refused(last.detail, about);
    else if (hasWord) this.#failures.delete(about.id);
    else this.#failed(failure ?? withoutWord(), about);
    this.#plan.onMove();
  }

  tell(cause: unknown): void {
    const { code, message: detail } = asStewardError(cause);
    this.#problem = `What was asked for could not be applied: ${detail}`;
    const facts = { release_id: null, kind: null, name: null, version: null, code, detail };
    this.#plan.options.notify("update.refused", facts);
  }

  forget(): void {
    this.#problem = null;
  }

  /**
   * The journal says it too, by the host's clock; where that is known to be ahead, what it says seems to come from a
   * time to be and counts for nothing. Without this the same would be asked for, and refused, over and over.
   */
  #refused(detail: string, { id }: AskedRelease): void {
    const text = `it was not taken (${withoutStop(detail)})`;
    this.#failures.set(id, { text, code: "refused", until: this.#plan.options.uptime() + refusedSeconds });
  }

  /** What fails as it did the last time is no news. */
  #failed(cause: unknown, { id, kind, name, version }: AskedRelease): void {
    const { uptime, notify } = this.#plan.options;
    const { code, message: detail } = asStewardError(cause);
    this.#problem = `${inFront(nameOf({ kind, name, version }))} could not be applied: ${detail}`;
    const isNews = this.#failures.get(id)?.code !== code;
    const text = `root's side could not be asked for it (${withoutStop(detail)})`;
    this.#failures.set(id, { text, code, until: uptime() + askAgainSeconds });
    if (isNews) notify("update.refused", { release_id: id, kind, name, version, code, detail });
  }
}

function handingOf({ verb }: InstallRequest, about: AskedRelease): Handing {
  if (verb === "install") return { id: about.id, words: inFront(nameOf(about)), isBack: false };
  return { id: null, words: `Going back from ${nameOf(about)}`, isBack: true };
}

function withoutStop(sentence: string): string {
  return sentence.replace(/\.$/, "");
}

function inFront(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function asStewardError(error: unknown): StewardError {
  if (error instanceof StewardError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new StewardError("internal_error", `Applying failed in a way that nobody thought of: ${detail}.`, {
    cause: error,
  });
}
