import { t } from "../../catalogue/words.ts";
import { visible } from "../../ui/visible.ts";
import type { NotesBlock, NotesPiece, ReleaseNotes } from "./notes-markdown.ts";

/** The publisher's notes below their title. They are closed at first, unless they are one block without a title. */
export function NotesDetails({ notes: { title, blocks, isCut } }: { readonly notes: ReleaseNotes }) {
  if (blocks.length === 0) return null;
  return (
    <details class="updates-notes" open={title === "" && !isCut && blocks.length === 1}>
      <summary>{t.updates.notes}</summary>
      <div dir="auto">
        {blocks.map((block, index) => (
          <Block key={index} block={block} />
        ))}
        {isCut && <p>…</p>}
      </div>
    </details>
  );
}

function Block({ block }: { readonly block: NotesBlock }) {
  if (block.kind === "paragraph")
    return (
      <p>
        {block.lines.map((line, index) => (
          <>
            {index > 0 && <br />}
            <Pieces key={index} pieces={line} />
          </>
        ))}
      </p>
    );
  const items = block.items.map((line, index) => (
    <li key={index}>
      <Pieces pieces={line} />
    </li>
  ));
  return block.isNumbered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

function Pieces({ pieces }: { readonly pieces: readonly NotesPiece[] }) {
  return <>{pieces.map(Piece)}</>;
}

function Piece(piece: NotesPiece) {
  const text = visible(piece.text);
  if (piece.kind === "bold") return <strong>{text}</strong>;
  if (piece.kind === "code") return <code>{text}</code>;
  return piece.kind === "link" ? `${text} (${visible(piece.address)})` : text;
}
