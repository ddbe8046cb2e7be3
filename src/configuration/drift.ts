import type { Seal } from "../auth/second-factor/seal.ts";
import { StewardError } from "../contract/errors.ts";
import type { Configuration } from "../contract/types.ts";
import type { StoredFactor } from "../users/account.ts";
import type { Order, Present } from "./order.ts";
import { planned } from "./plan.ts";
import { judgeFactors } from "./second-factors.ts";
import { lastRoot } from "./update-root.ts";

/** Compares the device with the configuration that was applied last. */
export type AppliedConfiguration = ReturnType<typeof appliedConfiguration>;

/** True for a configuration that says nothing of the device, which leaves the one before it in force. */
export function isEmpty(configuration: Configuration): boolean {
  return Object.keys(configuration).every((name) => name === "version" || name === "$schema");
}

/** `seal` opens the present second factors and those of the configuration. */
export function appliedConfiguration({ configuration, ...order }: Order, seal: Seal) {
  const text = JSON.stringify(configuration);
  const root = rootFingerprint(configuration);
  const differs = createFactorComparison(configuration, seal);
  let known: { readonly present: Present; readonly isLeft: boolean } | undefined;
  const isPlanLeft = (present: Present): boolean => {
    if (known !== undefined && isSamePresent(known.present, present)) return known.isLeft;
    const next = planned(present, { ...order, configuration, secondFactors: {} });
    const isLeft = !isSamePresent(present, next) || differs(present);
    known = { present, isLeft };
    return isLeft;
  };
  return {
    /** By the agent's clock, RFC 3339. */
    at: order.at,
    /** True for the same content, so that it need not be written again. */
    isSame: (other: Configuration): boolean => JSON.stringify(other) === text,
    /**
     * True if the device is no longer what the configuration said. Members that it does not name do not count. `root`:
     * fingerprint of the installed root of trust; null: none.
     */
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

/**
 * True for a state with other second factors than the configuration's. Each is opened once: an account is another object
 * after each sign-in, and its factor the same.
 */
function createFactorComparison(configuration: Configuration, seal: Seal): (present: Present) => boolean {
  const same = new WeakSet<StoredFactor>();
  const sealed = configuration.users?.filter(({ second_factor }) => second_factor !== undefined) ?? [];
  return ({ users }) => {
    if (sealed.length === 0) return false;
    const factors = new Map(users.accounts.map(({ username, two_factor }) => [username, two_factor]));
    const unknown = sealed.filter(({ name }) => {
      const factor = factors.get(name) ?? null;
      return factor === null || !same.has(factor);
    });
    const { secrets, faults } = judgeFactors({ version: 1, users: unknown }, users, {}, seal);
    if (faults.length > 0 || Object.keys(secrets).length > 0) return true;
    for (const { name } of unknown) {
      const factor = factors.get(name);
      if (factor) same.add(factor);
    }
    return false;
  };
}
