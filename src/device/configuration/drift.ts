import { StewardError } from "../../contract/errors.ts";
import type { Configuration } from "../../contract/types.ts";
import type { Order, Present } from "./order.ts";
import { planned } from "./plan.ts";
import { lastRoot } from "./update-root.ts";

export type AppliedConfiguration = ReturnType<typeof appliedConfiguration>;

/** True for a configuration that says nothing of the device, which leaves the one before it in force. */
export function isEmpty(configuration: Configuration): boolean {
  return Object.keys(configuration).every((name) => name === "version" || name === "$schema");
}

/** The order has the sealed texts of second factors that the state got: another text there is another factor. */
export function appliedConfiguration(order: Order) {
  const { configuration } = order;
  const text = JSON.stringify(configuration);
  const root = rootFingerprint(configuration);
  let known: { readonly present: Present; readonly isLeft: boolean } | undefined;
  const isPlanLeft = (present: Present): boolean => {
    if (known !== undefined && isSamePresent(known.present, present)) return known.isLeft;
    const isLeft = !isSamePresent(present, planned(present, order));
    known = { present, isLeft };
    return isLeft;
  };
  return {
    /** By the agent's clock, RFC 3339. */
    at: order.at,
    /** True for the same content, so that it need not be written again. */
    isSame: (other: Configuration): boolean => JSON.stringify(other) === text,
    /** True if the device has left the configuration, in a member that it names. `root`: installed fingerprint or null. */
    isLeft: (present: Present, installed: string | null): boolean =>
      (root !== null && root !== installed) || isPlanLeft(present),
  };
}

function isSamePresent(one: Present, other: Present): boolean {
  return one.users === other.users && one.tokens === other.tokens && one.settings === other.settings;
}

/** null: the configuration names none. It was judged when it was applied. */
function rootFingerprint({ update_root }: Configuration): string | null {
  try {
    return update_root === undefined ? null : (lastRoot(update_root)?.fingerprint ?? null);
  } catch (error) {
    // A later release may refuse a root that an earlier one has installed: then no installed one is the file's.
    if (error instanceof StewardError) return "";
    throw error;
  }
}
