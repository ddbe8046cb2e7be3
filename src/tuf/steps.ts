import { setImmediate } from "node:timers/promises";

/** Work that may rest at each `yield`, after some milliseconds of it. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does the work without a rest, for a process that has nothing else to do. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Does the work with a turn of the event loop after each step. */
export async function inTurns<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    await setImmediate();
  }
}

/** Things that are looked at in a step, and characters that are written in one. */
const [stepThings, stepCharacters] = [1_000, 32_768];

export function* eachInSteps<T>(all: readonly T[], look: (one: T) => void): Steps<void> {
  for (const [index, one] of all.entries()) {
    if (index % stepThings === stepThings - 1) yield;
    look(one);
  }
}

/** The texts one after another, as UTF-8. */
export function* writtenInSteps(texts: Iterable<string>): Steps<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let text = "";
  for (const part of texts) {
    text += part;
    if (text.length < stepCharacters) continue;
    pieces.push(Buffer.from(text, "utf8"));
    text = "";
    yield;
  }
  return Buffer.concat([...pieces, Buffer.from(text, "utf8")]);
}
