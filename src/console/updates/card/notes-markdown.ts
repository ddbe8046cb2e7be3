/** A piece of a line. The page shows a link's address behind its text, since it leads out of the device. */
export type NotesPiece =
  | { readonly kind: "text" | "bold" | "code"; readonly text: string }
  | { readonly kind: "link"; readonly text: string; readonly address: string };

type Line = readonly NotesPiece[];

export type NotesBlock =
  | { readonly kind: "paragraph"; readonly lines: readonly Line[] }
  | { readonly kind: "list"; readonly isNumbered: boolean; readonly items: readonly Line[] };

export interface ReleaseNotes {
  /** The first line, where it is short enough to stand beside a version; empty: it is not. */
  readonly title: string;
  readonly blocks: readonly NotesBlock[];
  /** The publisher wrote more than is shown. */
  readonly isCut: boolean;
}

const mostCharacters = 6_100;
const mostLines = 80;
/** Characters of a title at most. */
const mostOfTitle = 80;

const item = /^\s*(?:[-*+]|(\d{1,3})[.)])\s+(.*)$/;
const heading = /^#{1,6}\s+(.*?)\s*#*$/;
/** Bold, code, a link; each ends on its own line. */
const inline = /\*\*(.+?)\*\*|`([^`]+)`|\[([^\]]+)\]\((https?:\/\/[^\s()]+)\)/g;

/** A publisher's notes: paragraphs, lists, bold, code and links of Markdown; everything else stays as it was typed. */
export function readNotes(notes: string): ReleaseNotes {
  const all = notes.slice(0, mostCharacters).trim().split(/\r?\n/);
  const [first = "", ...rest] = all.slice(0, mostLines);
  const title = plain(heading.exec(first)?.[1] ?? first);
  const isTitle = title.length <= mostOfTitle && !item.test(first) && (rest[0] ?? "").trim() === "";
  return {
    title: isTitle ? title : "",
    blocks: blocksOf(isTitle ? rest : [first, ...rest]),
    isCut: notes.length > mostCharacters || all.length > mostLines,
  };
}

/** A line without its marks. */
function plain(line: string): string {
  return piecesOf(line)
    .map((piece) => (piece.kind === "link" ? `${piece.text} (${piece.address})` : piece.text))
    .join("");
}

function blocksOf(lines: readonly string[]): NotesBlock[] {
  const blocks: { kind: "paragraph" | "list"; isNumbered: boolean; lines: Line[] }[] = [];
  let isNew = true;
  for (const line of lines) {
    const found = item.exec(line);
    const title = heading.exec(line)?.[1];
    const kind = found ? "list" : "paragraph";
    const last = blocks.at(-1);
    const text = found?.[2] ?? title ?? line.trim();
    const pieces: Line = title === undefined ? piecesOf(text) : [{ kind: "bold", text: plain(title) }];
    if (line.trim() === "") isNew = true;
    else if (isNew || title !== undefined || last === undefined || last.kind !== kind) {
      // A list goes on behind an empty line.
      if (last?.kind === "list" && kind === "list") last.lines.push(pieces);
      else blocks.push({ kind, isNumbered: found?.[1] !== undefined, lines: [pieces] });
      isNew = title !== undefined;
    } else last.lines.push(pieces);
  }
  return blocks.map(({ kind, isNumbered, lines: own }) =>
    kind === "list" ? { kind, isNumbered, items: own } : { kind, lines: own },
  );
}

function piecesOf(line: string): NotesPiece[] {
  const pieces: NotesPiece[] = [];
  let end = 0;
  for (const { 0: whole, 1: bold, 2: code, 3: link, 4: address, index } of line.matchAll(inline)) {
    if (index > end) pieces.push({ kind: "text", text: line.slice(end, index) });
    if (bold !== undefined) pieces.push({ kind: "bold", text: bold });
    else if (code !== undefined) pieces.push({ kind: "code", text: code });
    else pieces.push({ kind: "link", text: link ?? "", address: address ?? "" });
    end = index + whole.length;
  }
  if (end < line.length) pieces.push({ kind: "text", text: line.slice(end) });
  return pieces;
}
