import { readFile } from "node:fs/promises";
import { rethrown } from "../../contract/errors.ts";
import { fileFailure } from "../../terminal/failure.ts";

/** Bytes of a file with keys of age. */
const mostBytes = 65_536;

/** Its lines without comments, and without those that are blank then, as any editor leaves them: with a byte order mark, in UTF-16, with CR LF. */
export async function keyLines(path: string): Promise<string[]> {
  const content = await readFile(path).catch(rethrown((error) => fileFailure(error, path)));
  const bytes = content.subarray(0, mostBytes);
  const mark = bytes.toString("hex", 0, 2);
  const encoding = mark === "fffe" ? "utf-16le" : mark === "feff" ? "utf-16be" : "utf-8";
  const lines = new TextDecoder(encoding).decode(bytes).split(/[\r\n]+/);
  return lines.map((line) => line.replace(/#.*/, "").trim()).filter((line) => line !== "");
}
