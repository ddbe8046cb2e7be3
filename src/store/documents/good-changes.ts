import { createHash } from "node:crypto";

/**
 * The part of a large document that its good copy lacks, in a file beside it: to write the whole copy at each change of
 * one record would double what the flash has to bear.
 */
interface GoodChanges {
  readonly base_sha256: string;
  /** The hash of the document, which is the copy with these changes. */
  readonly sha256: string;
  readonly changes: readonly Change[];
}

/** Bytes of the copy that are replaced by a text. */
interface Change {
  readonly at: number;
  readonly removed: number;
  readonly text: string;
}

/** Lines that are looked at after a difference for the next line that both have. */
const linesAhead = 64;

/** Part of a document from which on its changes are no longer worth a file of their own. */
const largestShare = 0.25;

/** The text of the file with the changes from `base` to `present`; null: they are too many. */
export function changesBetween(base: Buffer, present: Buffer): string | null {
  const changes: Change[] = [];
  let [at, to] = [0, 0];
  while (at < base.length || to < present.length) {
    const [end, presentEnd] = [lineEnd(base, at), lineEnd(present, to)];
    if (isEqual(base.subarray(at, end), present.subarray(to, presentEnd))) {
      [at, to] = [end, presentEnd];
      continue;
    }
    const next = nextCommon(linesFrom(base, at), linesFrom(present, to));
    if (next === null) return null;
    changes.push({ at, removed: next.at - at, text: present.toString("utf8", to, next.to) });
    [at, to] = [next.at, next.to];
  }
  const file: GoodChanges = { base_sha256: sha256(base), sha256: sha256(present), changes };
  const text = `${JSON.stringify(file, undefined, 2)}\n`;
  return text.length > largestShare * present.length ? null : text;
}

/** The document that a copy is with its changes; null: the changes are damaged, or another copy's. */
export function withChanges(base: Buffer, text: string): Buffer | null {
  try {
    const { base_sha256, sha256: expected, changes } = JSON.parse(text) as GoodChanges;
    if (base_sha256 !== sha256(base)) return null;
    const pieces: Buffer[] = [];
    let from = 0;
    for (const change of changes) {
      pieces.push(base.subarray(from, change.at), Buffer.from(change.text));
      from = change.at + change.removed;
    }
    const whole = Buffer.concat([...pieces, base.subarray(from)]);
    return sha256(whole) === expected ? whole : null;
  } catch {
    return null;
  }
}

interface Line {
  readonly at: number;
  readonly bytes: Buffer;
}

/** The next lines, and the empty one at the end. */
function linesFrom(text: Buffer, from: number): Line[] {
  const lines: Line[] = [];
  let at = from;
  for (; at < text.length && lines.length < linesAhead; at = lineEnd(text, at))
    lines.push({ at, bytes: text.subarray(at, lineEnd(text, at)) });
  if (at >= text.length) lines.push({ at: text.length, bytes: Buffer.alloc(0) });
  return lines;
}

/** The first line that both have, by the sum of what is left out before it. */
function nextCommon(base: readonly Line[], present: readonly Line[]): { at: number; to: number } | null {
  for (let skipped = 1; skipped < base.length + present.length; skipped += 1)
    for (let ofBase = 0; ofBase <= skipped; ofBase += 1) {
      const [one, other] = [base[ofBase], present[skipped - ofBase]];
      if (one && other && isEqual(one.bytes, other.bytes)) return { at: one.at, to: other.at };
    }
  return null;
}

function lineEnd(text: Buffer, from: number): number {
  const end = text.indexOf(10, from);
  return end === -1 ? text.length : end + 1;
}

function isEqual(one: Buffer, other: Buffer): boolean {
  return one.length === other.length && one.equals(other);
}

function sha256(bytes: Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
