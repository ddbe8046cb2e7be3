import { hash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { wellFormed } from "../contract/text/json-of.ts";
import { lasting, lastingText } from "../store/documents/lasting.ts";
import { isObject } from "../store/validation/members.ts";

export function textOf(value: object): string {
  const known = lastingText(value);
  if (known !== undefined) return wellFormed(known);
  const isJoined = !Array.isArray(value) && Object.values(value).some(hasLasting);
  if (!isJoined) return wellFormed(JSON.stringify(value));
  const pieces: string[] = [];
  addObject(pieces, value);
  return wellFormed(pieces.join(""));
}

const etags = new WeakMap<object, string>();

/** A strong entity tag (RFC 9110 §8.8.3): equal if and only if the value is. For those sent again, such as settings. */
export function etagOf(value: object): string {
  const known = etags.get(value);
  if (known !== undefined) return known;
  const etag = tagOf(textOf(lasting(value)));
  etags.set(value, etag);
  return etag;
}

/** The text that a proxy that compresses may add to the opaque part of a tag: Apache `-gzip`, `-br`; Jetty `--gzip`. */
const addedByProxy = /^(?:[-;]{1,2}(?:gzip|br|zstd|deflate))?$/;

/**
 * True if an If-Match or If-None-Match header is `*` or lists `etag`. Proxies that compress change tags on the way: nginx
 * makes them weak, Apache and Caddy add a suffix. RFC 9110 §13.1.1 has If-Match compare strongly, so that no client changes
 * bytes that it has not seen. These tags are of a state, of which every coding is a form, so the opaque part decides.
 */
export function isTagged(header: string, etag: string): boolean {
  const [, own = ""] = /"(.*)"/.exec(etag) ?? [];
  return header.split(",").some((part) => {
    const tag = part.trim();
    const [, opaque = ""] = /^(?:W\/)?"?([^"]*)"?$/.exec(tag) ?? [];
    // Our part may itself end with a hyphen, so the suffix is looked for behind it.
    const isOwn = opaque.startsWith(own) && addedByProxy.test(opaque.slice(own.length));
    return tag === "*" || tag === etag || isOwn;
  });
}

/** RFC 9110 §13.1.2: the client already has the answer with this tag. */
export function isKnownTo({ method, headers }: IncomingMessage, etag: string): boolean {
  const known = headers["if-none-match"];
  return known !== undefined && (method === "GET" || method === "HEAD") && isTagged(known, etag);
}

/** Members of an answer by name that are figures of the moment: a whole member, or members of it. */
type Momentary = ReadonlyMap<string, Momentary | "whole">;

const none: Momentary = new Map();

/** The figures of the moment of an operation, with the rest of its last answer and the tag of that. */
interface LastAnswer {
  readonly momentary: Momentary;
  steady: string;
  etag: string;
}

const lastAnswers = new WeakMap<readonly string[], LastAnswer>();

/** An answer's JSON, and a weak tag (RFC 9110 §8.8.1) without the members at these JSON Pointers of one or two names. */
export function weaklyTagged(value: object, pointers: readonly string[]) {
  const last = lastAnswers.get(pointers) ?? { momentary: momentaryOf(pointers), steady: "", etag: "" };
  lastAnswers.set(pointers, last);
  const [pieces, steadyPieces]: [string[], string[]] = [[], []];
  addObject(pieces, value, last.momentary, steadyPieces);
  const steady = steadyPieces.join("");
  // Most callers get what the one before them got.
  if (steady !== last.steady) Object.assign(last, { steady, etag: `W/${tagOf(steady)}` });
  return { text: wellFormed(pieces.join("")), etag: last.etag };
}

/**
 * Adds the pieces of an object's JSON, and to `steady` those that are no figures of the moment. The caller joins them once:
 * V8 copies a text each time that it becomes a part of a longer one.
 */
function addObject(pieces: string[], value: object, momentary: Momentary = none, steady?: string[]): void {
  let mark = "{";
  for (const [name, member] of Object.entries(value)) {
    if (member === undefined) continue;
    pieces.push(mark);
    mark = ",";
    const first = pieces.push(nameText(name)) - 1;
    const figures = momentary.get(name);
    if (figures !== undefined && figures !== "whole" && isObject(member)) {
      steady?.push(",", nameText(name));
      addObject(pieces, member, figures, steady);
    } else {
      addMember(pieces, member);
      if (figures !== "whole") steady?.push(",", ...pieces.slice(first));
    }
  }
  pieces.push(mark === "{" ? "{}" : "}");
  steady?.push("}");
}

function addMember(pieces: string[], member: unknown): void {
  if (!Array.isArray(member) || !hasLasting(member)) {
    pieces.push(memberText(member));
    return;
  }
  let mark = "[";
  for (const one of member) {
    pieces.push(mark, memberText(one));
    mark = ",";
  }
  pieces.push("]");
}

/** Members of the contract's answers, with their names as JSON. */
const nameTexts = new Map<string, string>();

function nameText(name: string): string {
  const known = nameTexts.get(name);
  if (known !== undefined) return known;
  const text = `${JSON.stringify(name)}:`;
  nameTexts.set(name, text);
  return text;
}

function memberText(member: unknown): string {
  const known = typeof member === "object" && member !== null ? lastingText(member) : undefined;
  return known ?? JSON.stringify(member);
}

/** True for a lasting value, and for a list of such. */
function hasLasting(member: unknown): boolean {
  const [first]: unknown[] = Array.isArray(member) ? member : [member];
  return typeof first === "object" && first !== null && lastingText(first) !== undefined;
}

function momentaryOf(pointers: readonly string[]): Momentary {
  const members = new Map<string, Map<string, "whole"> | "whole">();
  for (const pointer of pointers) {
    const [, name = "", inner] = pointer.split("/");
    const known = members.get(name) ?? new Map<string, "whole">();
    if (inner !== undefined && known !== "whole") known.set(inner, "whole");
    members.set(name, inner === undefined ? "whole" : known);
  }
  return members;
}

function tagOf(text: string): string {
  return `"${hash("sha256", text, "base64url").slice(0, 22)}"`;
}
