import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import type Koa from "koa";
import { ifAbsent, StewardError } from "../../contract/errors.ts";
import { isKnownTo } from "../answer-text.ts";

/**
 * Content codings that the build makes, the smallest first, with the suffix of their files; each file has the last one.
 */
const codings = [
  ["br", ".br"],
  ["gzip", ".gz"],
  ["identity", ""],
] as const;

type Suffix = (typeof codings)[number][1];

export interface Content {
  readonly bytes: Buffer;
  readonly etag: string;
}

/** The same in one of the file's codings. */
export interface CodedContent extends Content {
  readonly coding: string;
}

/** The content that the client prefers of the `suffixes`. null: removed since the start. It throws `not_acceptable`. */
export async function readCoded(
  ctx: Koa.Context,
  path: string,
  suffixes: ReadonlySet<string>,
): Promise<CodedContent | null> {
  const [coding, suffix] = chooseCoding(ctx.get("accept-encoding"), suffixes);
  const content = await readOnce(`${path}${suffix}`);
  return content && { ...content, coding };
}

/** Answers with the content, or with 304 if the client has it and `status` is 200. */
export function sendCoded(
  ctx: Koa.Context,
  { bytes, etag, coding }: CodedContent,
  mediaType: string,
  status = 200,
): void {
  ctx.set("Vary", "Accept-Encoding");
  ctx.set("ETag", etag);
  const isKnown = status === 200 && isKnownTo(ctx.req, etag);
  ctx.status = isKnown ? 304 : status;
  if (isKnown) return;
  // Set before the body: otherwise koa looks its type up.
  ctx.set("Content-Type", mediaType);
  if (coding !== "identity") ctx.set("Content-Encoding", coding);
  ctx.body = bytes;
}

/** The forms of a text that is made for each answer. */
const textForms: ReadonlySet<string> = new Set(["", ".gz"]);

export function sendPlain(ctx: Koa.Context, status: number, text: string, mediaType: string): void {
  const { req, res, response } = ctx;
  // Set before the body: otherwise koa takes the text for HTML and looks its type up.
  res.setHeader("Content-Type", mediaType);
  if (req.method !== "GET") {
    response.status = status;
    response.body = text;
    return;
  }
  // koa would first inspect the text, the headers and the socket, and has nothing to add.
  ctx.respond = false;
  res.statusCode = status;
  // A short text Node copies behind the head of its answer, to send both as one string.
  res.end(text.length <= longestCopied ? text : Buffer.from(text));
}

/** Characters of such a text. */
const longestCopied = 8_192;

/** Answers with a text, compressed if the client takes that. Throws `not_acceptable`. */
export async function sendText(ctx: Koa.Context, text: string, mediaType: string): Promise<void> {
  const accepted = ctx.req.headers["accept-encoding"];
  const [coding] = accepted === undefined ? ["identity"] : chooseCoding(String(accepted), textForms);
  ctx.res.setHeader("Vary", "Accept-Encoding");
  if (coding === "identity") return sendPlain(ctx, 200, text, mediaType);
  // Set before the body: otherwise koa takes the text for HTML.
  ctx.set("Content-Type", mediaType);
  ctx.set("Content-Encoding", coding);
  // Synchronous: asking another thread would take three times as long.
  ctx.body = gzipSync(text);
}

/** RFC 9110 §12.5.3: the coding of the greatest weight; among equals the smallest file. Throws `not_acceptable`. */
function chooseCoding(header: string, forms: ReadonlySet<string>): readonly [string, Suffix] {
  const weights = weightsIn(header);
  let best: readonly [string, Suffix] | undefined;
  let bestWeight = 0;
  for (const one of codings) {
    const [coding, suffix] = one;
    const weight = forms.has(suffix) ? weightOf(coding, weights) : 0;
    if (weight <= bestWeight) continue;
    best = one;
    bestWeight = weight;
  }
  if (best !== undefined) return best;
  const names = codings.flatMap(([coding, suffix]) => (forms.has(suffix) ? [coding] : []));
  throw new StewardError(
    "not_acceptable",
    `The answer is available as ${names.join(", ")}; the Accept-Encoding header excludes all of them.`,
  );
}

/** Below any weight that a client can give: the plain form is acceptable unless it is excluded, and used last. */
const unnamedWeight = 0.0001;

function weightOf(coding: string, weights: ReadonlyMap<string, number>): number {
  return weights.get(coding) ?? weights.get("*") ?? (coding === "identity" ? unnamedWeight : 0);
}

function weightsIn(header: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(",")) {
    const [name = "", weight = "q=1"] = part.split(";").map((piece) => piece.trim());
    // A malformed weight counts as zero: the client may not understand this coding.
    const [, value = "0"] = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(weight) ?? [];
    // RFC 9110 §8.4.1.3: x-gzip is an older name of gzip.
    if (name !== "") weights.set(name === "x-gzip" ? "gzip" : name, Number(value));
  }
  return weights;
}

/** Requested contents, by path: those of the console and of the API's description, in their codings. */
const contents = new Map<string, Content>();

/** A program file's content, once in memory for all answers under way. null: removed since the start. */
export async function readOnce(path: string): Promise<Content | null> {
  const known = contents.get(path);
  if (known !== undefined) return known;
  const bytes = await readFile(path).catch(ifAbsent);
  if (bytes === null) return null;
  const digest = createHash("sha256").update(bytes).digest("base64url").slice(0, 22);
  // Two callers may have read it at the same time: the first one's counts.
  const content = contents.get(path) ?? { bytes, etag: `"${digest}"` };
  contents.set(path, content);
  return content;
}
