import { printableName } from "../../releases/payload/unsafe-payload.ts";

/** Entries that a finding names. */
const mostNames = 3;

export type Findings = ReturnType<typeof createFindings>;

/** Findings about entries, or about all of an archive, in the order in which they were first met. */
export function createFindings() {
  const found = new Map<string, string[]>();
  return {
    add: (finding: string, name: string): void => {
      const names = found.get(finding);
      if (names) names.push(name);
      else found.set(finding, [name]);
    },
    /** Each with its entries: `"a", "b", "c" and 2 more`. */
    all: (): { readonly finding: string; readonly entries: string }[] =>
      [...found].map(([finding, names]) => {
        const shown = names.slice(0, mostNames).map(printableName).join(", ");
        const more = names.length - mostNames;
        return { finding, entries: more > 0 ? `${shown} and ${more} more` : shown };
      }),
  };
}
