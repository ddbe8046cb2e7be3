import { posix } from "node:path";
import { Marked, type Tokens } from "marked";
import { anchorOf, type Page } from "../../docs/pages.ts";

/** A document as a fragment of HTML, and its parts. */
export interface Rendered {
  /** Its first heading. */
  readonly title: string;
  readonly html: string;
  /** Its headings of the second level. */
  readonly sections: readonly { readonly anchor: string; readonly title: string }[];
}

/**
 * Renders one document. `addressOf`: where the reader finds a file of the repository; undefined: the device does not have
 * it, and the link becomes its text. Pictures of the console are left out: the reader has the console itself.
 */
export function renderDocument(
  { path, text }: Page,
  addressOf: (path: string) => string | undefined,
): Rendered {
  const sections: { anchor: string; title: string }[] = [];
  let title = path;
  const marked = new Marked({
    renderer: {
      heading({ tokens, text: source, depth }) {
        const html = this.parser.parseInline(tokens);
        const anchor = anchorOf(source);
        const plain = this.parser.parseInline(tokens, this.parser.textRenderer);
        if (depth === 1) title = plain;
        if (depth === 2) sections.push({ anchor, title: plain });
        return `<h${depth} id="${anchor}">${html}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const address = resolved(path, href, addressOf);
        return address === undefined ? html : `<a href="${escaped(address)}">${html}</a>`;
      },
      image: () => "",
      paragraph({ tokens }) {
        const html = this.parser.parseInline(tokens);
        return html.trim() === "" ? "" : `<p>${html}</p>\n`;
      },
      // A block that is wider than the window is scrolled by the keyboard too.
      code: ({ text: source }) => `<pre tabindex="0"><code>${escaped(source)}</code></pre>\n`,
      html: ({ text: source }: Tokens.HTML | Tokens.Tag) => (source.trim() === "<br>" ? "<br>" : ""),
    },
  });
  const html = marked.parse(text, { async: false });
  const framed = html
    .replaceAll("<table>", '<div class="wide" tabindex="0"><table>')
    .replaceAll("</table>", "</table></div>");
  return { title, html: framed, sections };
}

/** The address of a link's target; undefined: the device does not have it. */
function resolved(
  path: string,
  href: string,
  addressOf: (path: string) => string | undefined,
): string | undefined {
  if (/^[a-z]+:/.test(href)) return href;
  const [file = "", anchor] = href.split("#");
  const suffix = anchor === undefined ? "" : `#${anchor}`;
  if (file === "") return suffix;
  const address = addressOf(posix.join(posix.dirname(path), file));
  return address === undefined ? undefined : `${address}${suffix}`;
}

/** Text as HTML, also within an attribute in double quotes. */
export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
