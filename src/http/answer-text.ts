import { hash } from "node:crypto";
import { lasting, lastingText } from "../store/documents/lasting.ts";
import { isObject } from "../store/validation/members.ts";

/** The JSON of an answer. */
export function textOf(value: object): string {
  const known = lastingText(value);
  if (known !== undefined) return known;
  const isJoined = !Array.isArray(value) && Object.values(value).some(hasLasting);
  return isJoined ? joined(piecesOf(value)) : JSON.stringify(value);
}

const etags = new WeakMap<object, string>();

/**
 * A strong entity tag (RFC 9110 §8.8.3): equal if and only if the representation is. A value that has one is sent again,
 * such as the settings.
 */
export function etagOf(value: object): string {
  const known = etags.get(value);
  if (known !== undefined) return known;
  const etag = tagOf(textOf(lasting(value)));
  etags.set(value, etag);
  return etag;
}

export interface TaggedText {
  readonly text: string;
  readonly etag: string;
}

/** Members of an answer by name: all of each, or only the members of it that are named. */
type Momentary = ReadonlyMap<string, readonly string[] | "whole">;

/** The figures of the moment of an operation, with the rest of its last answer and the tag of that. */
interface LastAnswer {
  readonly momentary: Momentary;
  steady: string;
  etag: string;
}

const lastAnswers = new WeakMap<readonly string[], LastAnswer>();

/**
 * The JSON of an answer, and a weak entity tag (RFC 9110 §8.8.1) which leaves out the members that these JSON Pointers of
 * one or two names point at.
 */
export function weaklyTagged(value: object, pointers: readonly string[]): TaggedText {
  const last = lastAnswers.get(pointers) ?? { momentary: momentaryOf(pointers), steady: "", etag: "" };
  lastAnswers.set(pointers, last);
  const pieces = piecesOf(value);
  const steady = joined(pieces.flatMap((piece) => steadyOf(piece, last.momentary)));
  // Most callers get what the one before them got.
  if (steady !== last.steady) Object.assign(last, { steady, etag: `W/${tagOf(steady)}` });
  return { text: joined(pieces), etag: last.etag };
}

interface Piece {
  readonly name: string;
  readonly member: unknown;
  /** The member with its name. */
  readonly text: string;
}

function piecesOf(value: object): Piece[] {
  const pieces: Piece[] = [];
  for (const [name, member] of Object.entries(value)) {
    if (member !== undefined) pieces.push(pieceOf(name, member, memberText(member)));
  }
  return pieces;
}

function pieceOf(name: string, member: unknown, text: string): Piece {
  return { name, member, text: `${JSON.stringify(name)}:${text}` };
}

function joined(pieces: readonly Piece[]): string {
  return `{${pieces.map(({ text }) => text).join(",")}}`;
}

function memberText(member: unknown): string {
  if (typeof member !== "object" || member === null) return JSON.stringify(member);
  const known = lastingText(member);
  if (known !== undefined) return known;
  return Array.isArray(member) && hasLasting(member)
    ? `[${member.map(memberText).join(",")}]`
    : JSON.stringify(member);
}

/** True for a lasting value, and for a list of such. */
function hasLasting(member: unknown): boolean {
  const [first]: unknown[] = Array.isArray(member) ? member : [member];
  return typeof first === "object" && first !== null && lastingText(first) !== undefined;
}

function momentaryOf(pointers: readonly string[]): Momentary {
  const members = new Map<string, readonly string[] | "whole">();
  for (const pointer of pointers) {
    const [, name = "", inner] = pointer.split("/");
    const known = members.get(name) ?? [];
    members.set(name, inner === undefined || known === "whole" ? "whole" : [...known, inner]);
  }
  return members;
}

/** The piece without its figures of the moment; none if it is one itself. */
function steadyOf(piece: Piece, momentary: Momentary): Piece[] {
  const { name, member } = piece;
  const figures = momentary.get(name);
  if (figures === "whole") return [];
  if (figures === undefined || !isObject(member)) return [piece];
  const steady = { ...member };
  for (const figure of figures) steady[figure] = undefined;
  return [pieceOf(name, member, JSON.stringify(steady))];
}

function tagOf(text: string): string {
  return `"${hash("sha256", text, "base64url").slice(0, 22)}"`;
}
