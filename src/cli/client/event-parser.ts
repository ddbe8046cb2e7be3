import { BoundlessAnswer } from "./context.ts";

/** One event as WHATWG HTML §9.2.6 dispatches it. */
export interface ParsedEvent {
  /** The id of this event, or else of the last that had one. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** Characters of an event before its blank line; the agent's own have a few thousand. */
const maximumCharacters = 1024 * 1024;

/** Reads an event stream piece by piece, however it was cut up; returns the events that are complete with this piece. */
export function createEventParser(): (piece: string) => ParsedEvent[] {
  let isFirst = true;
  let rest = "";
  let id = "";
  let fields = { event: "", data: [] as string[] };
  let characters = 0;
  const lineEnded = (line: string): ParsedEvent | undefined => {
    if (line === "") {
      const { event, data } = fields;
      fields = { event: "", data: [] };
      characters = 0;
      return data.length === 0 ? undefined : { id, event: event || "message", data: data.join("\n") };
    }
    characters += line.length;
    const [, name = "", value = ""] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === "data") fields.data.push(value);
    else if (name === "event") fields.event = value;
    else if (name === "id" && !value.includes("\0")) id = value;
    return undefined;
  };
  return (piece) => {
    // Looked at once: a line that grows by single bytes must not be searched again for each.
    const isWithinLine = !isFirst && !rest.endsWith("\r") && !/[\r\n]/.test(piece);
    let text = rest + piece;
    if (isFirst && text.length > 0) {
      text = text.replace(/^\uFEFF/, "");
      isFirst = false;
    }
    // A carriage return at the end may be half of a line end.
    const { lines, left } = isWithinLine ? { lines: [], left: text } : splitLines(text);
    rest = left;
    const events = lines.flatMap((line) => lineEnded(line) ?? []);
    if (characters + rest.length > maximumCharacters) {
      throw new BoundlessAnswer("An event does not end after 1 MiB, which the agent's events do.");
    }
    return events;
  };
}

/** Lines end in CR LF, LF or CR. */
function splitLines(text: string): { lines: string[]; left: string } {
  const isHalf = text.endsWith("\r");
  const lines = (isHalf ? text.slice(0, -1) : text).split(/\r\n|\n|\r/);
  const left = lines.pop() ?? "";
  return { lines, left: isHalf ? `${left}\r` : left };
}
