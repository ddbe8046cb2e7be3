import { StewardError } from "../contract/errors.ts";
import type { Transfer } from "./ports.ts";
import { printableLine } from "./printable-text.ts";

/** Bytes in which a page is recognised and its title is found. */
const beginningBytes = 8_192;

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
  let beginning: Buffer | null = Buffer.alloc(0);
  try {
    for await (const piece of content) {
      if (beginning !== null) beginning = Buffer.concat([beginning, piece]);
      if (beginning !== null && beginning.length < beginningBytes) continue;
      refusePage(name, where, beginning);
      yield beginning ?? piece;
      beginning = null;
    }
  } finally {
    // A page may end by being longer than the file.
    refusePage(name, where, beginning);
  }
  if (beginning !== null) yield beginning;
}

function refusePage(name: string, where: string, beginning: Buffer | null): void {
  const text = beginning?.toString("utf8", 0, beginningBytes).trimStart();
  if (!text?.startsWith("<")) return;
  // An object store's error is XML with a message.
  const [, title = ""] = /<(?:title|message)\b[^>]*>([^<]+)/i.exec(text) ?? [];
  const shown = printableLine(title.replace(/\s+/g, " "), mostTitleCharacters);
  throw new StewardError(
    "update_web_page",
    `${where} sent a web page${shown && ` (${JSON.stringify(shown)})`} in place of ${JSON.stringify(name)}: the sign-in ` +
      "page of a network, or the page with which the server answers missing files. Sign in to the network or, if a " +
      "browser beside this device gets the file, ask who runs the server.",
  );
}
