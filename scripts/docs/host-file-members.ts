import { hostFile } from "../../src/contract/host-file/host-file.ts";
import { releasePlan } from "../../src/contract/host-file/release-plan.ts";

/** One member of the host file: its place, what it decides, and a value that the agent accepts. */
export interface Member {
  readonly path: string;
  readonly words: string;
  readonly example: unknown;
}

/** A part of the schema, as far as it is explained. */
interface Part {
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly properties?: Readonly<Record<string, object>>;
}

/** A part with words of its own is a row; one without is the place of its members. */
function membersOf({ properties = {} }: Part, place = ""): Member[] {
  return Object.entries(properties).flatMap(([name, part]) => {
    const { description: words, examples = [] }: Part = part;
    const path = `${place}${name}`;
    if (words === undefined) return membersOf(part, `${path}.`);
    return [{ path, words, example: examples[0] }];
  });
}

/** The members of `update.rules` and of `update.binary`. */
export const planMembers: readonly Member[] = membersOf(releasePlan);

/** The members of the file itself and of `update`, in the order in which they are explained. */
export const hostFileMembers: readonly Member[] = membersOf(hostFile).filter(
  ({ path }) => !/^update\.(rules|binary)\./.test(path),
);
