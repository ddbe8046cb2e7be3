import { StewardError } from "../contract/errors.ts";
import type { Transfer } from "./ports.ts";
import { printableLine } from "./printable-text.ts";

/** Bytes in which a page is recognised and its title is found. */
const beginningBytes = 8_192;

/** Characters of a title that are shown. */
const mostTitleCharacters = 80;

/** True if the server calls it a page. That decides nothing but whether the beginning is read before a wrong length is refused. */
export function isCalledPage({ headers }: Pick<Transfer, "headers">): boolean {
  return /^text\/html\b/i.test(headers["content-type"] ?? "");
}

/**
 * The content as it comes, for files that never begin as markup does, as JSON and archives. Throws `update_web_page` for
 * one that does: a network's sign-in page (RFC 8952), a server's page for missing files, a proxy's for an error.
 */
export async function* withoutPage(
  { name, where }: { name: string; where: string },
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let beginning = "";
  let mayBePage = true;
  for await (const piece of content) {
    if (mayBePage) {
      beginning += Buffer.from(piece.subarray(0, beginningBytes)).toString("latin1");
      // A byte order mark in UTF-8, as latin1 shows it.
      const [, first] = /^(?:\xef\xbb\xbf)?\s*(.?)/s.exec(beginning) ?? [];
      const isWhole = beginning.length >= beginningBytes;
      if (first === "<" && isWhole) break;
      if (first === "<") continue;
      mayBePage = first === "" && !isWhole;
    }
    yield piece;
  }
  if (mayBePage && beginning.includes("<")) throw webPage(name, where, beginning);
}

function webPage(name: string, where: string, beginning: string): StewardError {
  const text = Buffer.from(beginning, "latin1").toString("utf8");
  // An object store's error is XML with a message.
  const [, title = ""] = /<(?:title|message)\b[^>]*>([^<]+)/i.exec(text) ?? [];
  const shown = printableLine(title.replace(/\s+/g, " "), mostTitleCharacters);
  return new StewardError(
    "update_web_page",
    `${where} sent a web page${shown && ` (${JSON.stringify(shown)})`} in place of ${JSON.stringify(name)}: the sign-in ` +
      "page of a network, or the page with which the server answers missing files. Sign in to the network or, if a " +
      "browser beside this device gets the file, ask who runs the server.",
  );
}
