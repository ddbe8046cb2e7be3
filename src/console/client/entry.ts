import type { OperationId } from "../../contract/operations.ts";
import type { Output } from "../../contract/types.ts";
import { createStore } from "../store.ts";
import { type CallInput, callWithTag } from "./call.ts";
import { freshSeconds } from "./staleness.ts";

export interface Read<T> {
  /** null: not read yet, or not readable. The last value stays while it is read again. */
  readonly value: T | null;
  readonly etag: string | null;
  readonly error: unknown;
  readonly isLoading: boolean;
}

const unread = { value: null, etag: null, error: null, isLoading: true } as const;

/** One operation with one input, read once for all who need it. */
export class Entry<Id extends OperationId> {
  readonly id: Id;
  readonly read = createStore<Read<Output<Id>>>(unread);
  /** Its input as JSON. */
  readonly #input: string;
  readonly #onValue: (before: Output<Id> | null, after: Output<Id>) => void;
  #holders = 0;
  #turn = 0;
  #askedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    id: Id,
    input: string,
    onValue: (before: Output<Id> | null, after: Output<Id>) => void = () => undefined,
  ) {
    this.id = id;
    this.#input = input;
    this.#onValue = onValue;
  }

  readonly reload = async (): Promise<void> => {
    const turn = ++this.#turn;
    this.#askedAt = performance.now();
    this.read.set({ ...this.read.read(), isLoading: true });
    const next = await callWithTag(this.id, JSON.parse(this.#input) as CallInput<Id>).then(
      (answer) => ({ ...answer, error: null }),
      (error: unknown) => ({ error }),
    );
    if (turn === this.#turn) this.#arrived({ ...this.read.read(), ...next, isLoading: false });
  };

  /** Takes the value from the answer to a write. */
  readonly put = (value: Output<Id>, etag: string | null = null): void => {
    this.#turn += 1;
    this.#arrived({ value, etag, error: null, isLoading: false });
  };

  /** As `put` for values from the event stream: a reading that is under way still counts. */
  amend(value: Output<Id>): void {
    this.read.set({ ...this.read.read(), value });
  }

  /** Keeps it fresh until the result is called. */
  hold(): () => void {
    this.#holders += 1;
    // While it was not held it may have changed unseen.
    if (this.#holders === 1) void this.reload();
    return () => {
      this.#holders -= 1;
      if (this.#holders === 0) clearTimeout(this.#timer);
    };
  }

  get isHeld(): boolean {
    return this.#holders > 0;
  }

  /** Reads it again if the last reading is older than this; a page out of sight waits until it is in sight. */
  refresh(ageMilliseconds = 0): void {
    if (!this.isHeld) return;
    if (document.visibilityState === "hidden") this.#askedAt = Number.NEGATIVE_INFINITY;
    else if (performance.now() - this.#askedAt >= ageMilliseconds) void this.reload();
  }

  forget(): void {
    this.#turn += 1;
    clearTimeout(this.#timer);
    this.read.set(unread);
  }

  #arrived(next: Read<Output<Id>>): void {
    const before = this.read.read().value;
    this.read.set(next);
    if (next.error === null && next.value !== null) this.#onValue(before, next.value);
    clearTimeout(this.#timer);
    const seconds = freshSeconds(this.id, next.value);
    if (this.isHeld && seconds !== null) this.#timer = setTimeout(() => this.refresh(), seconds * 1_000);
  }
}
