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
  const blocks = text.split(/\n{2,}/).map((block) => block.trim());
  return blocks.filter(Boolean).flatMap((block) => {
    const lines = /^```[^\n]*\n([\s\S]*?)\n```$/.exec(block)?.[1];
    if (lines === undefined) return [".PP", ...proseOf(block)];
    return [".PP", ".RS 4", ".nf", ...lines.split("\n").map(plain), ".fi", ".RE"];
  });
}

/** Commands are bold, or they would be read as words of the sentence; other marks of Markdown are left out. */
function proseOf(block: string): string[] {
  const unlinked = block.replace(/\[([^\]]+)\]\([^)]+\)/g, "$1");
  const escaped = unlinked.split("\n").map(plain).join("\n");
  return escaped.replace(/`([^`]+)`/g, "\\fB$1\\fR").split("\n");
}
