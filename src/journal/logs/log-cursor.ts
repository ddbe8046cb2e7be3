import { foreignCursor } from "../../store/documents/pages.ts";

/** The place of one line: in the journal, or among the lines of one run of the agent. */
export type LogCursor =
  | { readonly source: "journal"; readonly position: string }
  | { readonly source: "agent"; readonly run: string; readonly sequence: number };

/** systemd.journal-fields(7), __CURSOR: sequence file, number, boot, monotonic and real time, hash; here only a text. */
const journalPosition =
  /^s=[0-9a-f]{32};i=[0-9a-f]{1,16};b=[0-9a-f]{32};m=[0-9a-f]{1,16};t=[0-9a-f]{1,16};x=[0-9a-f]{1,16}$/;

const agentPosition = /^([0-9a-f]{16}) (-?\d{1,12})$/;

export function writeCursor(cursor: LogCursor): string {
  const text = cursor.source === "journal" ? cursor.position : `${cursor.run} ${cursor.sequence}`;
  return Buffer.from(text).toString("base64url");
}

/** Throws `invalid_cursor` for a text that `writeCursor` never wrote. */
export function readCursor(text: string): LogCursor {
  const position = Buffer.from(text, "base64url").toString("latin1");
  if (Buffer.from(position, "latin1").toString("base64url") !== text) throw foreignCursor();
  if (journalPosition.test(position)) return { source: "journal", position };
  const [, run, sequence] = agentPosition.exec(position) ?? [];
  if (run === undefined) throw foreignCursor();
  return { source: "agent", run, sequence: Number(sequence) };
}
