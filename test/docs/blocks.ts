/** A fenced block of a page. */
export interface Block {
  /** The text behind the fence says it: `sh`, `sh appliance`, `json`…; empty: nothing. */
  readonly kind: string;
  readonly text: string;
}

export function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^```([^\n]*)\n([\s\S]*?)^```$/gm)].map(([, kind = "", block = ""]) => ({
    kind,
    text: block,
  }));
}
