/** Selectors that the console's style hides in a wide window. No other rule matters to tests of words and states. */

const hiding = new Set<string>();

/** Takes a style sheet's text: its rules that stand in no other rule, and those for a screen. */
export function readStyle(text: string): void {
  const wide = outermost(text.replace(/@media screen\s*\{((?:[^{}]*\{[^{}]*\})*)[^{}]*\}/g, "$1"));
  for (const [, selectors = ""] of wide.matchAll(/([^{}]+)\{[^{}]*display:\s*none[^{}]*\}/g))
    if (!selectors.includes("::")) hiding.add(selectors.trim());
}

/** Without those that hold others: conditions on the window. */
function outermost(text: string): string {
  let found = "";
  let from = 0;
  for (const { index } of text.matchAll(/@(media|container|supports|layer|keyframes)/g)) {
    if (index < from) continue;
    found += text.slice(from, index);
    from = endOfBlock(text, index);
  }
  return found + text.slice(from);
}

function endOfBlock(text: string, begin: number): number {
  let depth = 0;
  for (let at = text.indexOf("{", begin); at < text.length; at += 1) {
    if (text[at] === "{") depth += 1;
    if (text[at] === "}") depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

export function isHiddenByStyle(element: Element): boolean {
  // happy-dom takes an element for empty that holds nothing but text.
  const isFull = element.hasChildNodes();
  for (const selectors of hiding)
    if (!(isFull && selectors.includes(":empty")) && element.matches(selectors)) return true;
  return false;
}
