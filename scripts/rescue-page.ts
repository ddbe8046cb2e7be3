/** The manual page steward-rescue(7) in man(7)'s language, from docs/rescue.md. */
import { type Edition, plain } from "./roff.ts";

/** The page for people at the box: the same words as the document, whose one form it takes for granted. */
export function rescuePage(document: string, { version, date }: Edition): string {
  const [head = "", ...sections] = document.split(/^## /m);
  return [
    `.TH STEWARD-RESCUE 7 "${plain(date)}" "steward ${plain(version)}" "Miscellaneous"`,
    ...[".nh", ".ad l"],
    ...[".SH NAME", "steward-rescue \\- what to type at the box when Steward or its users are locked out"],
    ...[".SH DESCRIPTION", ...blocksOf(head.replace(/^# .*\n/, ""))],
    ...sections.flatMap((section) => {
      const [title = "", ...lines] = section.split("\n");
      return [`.SH "${plain(title.toUpperCase())}"`, ...blocksOf(lines.join("\n"))];
    }),
    ...[".SH SEE ALSO", ".BR steward (8)", ".BR steward.json (5)"],
    "",
  ].join("\n");
}

/** Paragraphs, and blocks of lines to type. */
function blocksOf(text: string): string[] {
  return text
    .split(/\n{2,}/)
    .map((block) => block.trim())
    .filter((block) => block !== "")
    .flatMap((block) => {
      const lines = /^```[^\n]*\n([\s\S]*?)\n```$/.exec(block)?.[1];
      if (lines === undefined) return [".PP", ...block.split("\n").map((line) => plain(proseOf(line)))];
      return [".PP", ".RS 4", ".nf", ...lines.split("\n").map(plain), ".fi", ".RE"];
    });
}

/** Without the marks of Markdown. */
function proseOf(line: string): string {
  return line.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1").replaceAll("`", "");
}
