import { setImmediate } from "node:timers/promises";
import { StewardError } from "../contract/errors.ts";
import type { Caps } from "./caps.ts";
import type { FoundTarget, Refreshed } from "./client.ts";
import type { DelegatedRole, Role, Targets } from "./metadata.ts";
import { isDelegated, mayHold } from "./path-pattern.ts";
import type { Signers } from "./signatures.ts";

/** Looks for targets in the tree of delegations. Throws `update_limit_exceeded`, and the errors of loading. */
export type TargetSearch = Pick<Refreshed, "find" | "list" | "elsewhere">;

interface Walk {
  readonly isWanted: (role: DelegatedRole) => boolean;
  /** Continues after a terminating delegation. */
  readonly isExhaustive: boolean;
  /** True ends the search. */
  readonly visit: (role: string, targets: Targets) => boolean;
  /** Patterns that may still be compared: thousands of targets against thousands of patterns would block the agent. */
  readonly budget: { patterns: number };
}

/** Targets of other channels that are read, of each kind. */
const mostElsewhere = 256;

/** `load` returns a role's verified metadata, signed as the present delegation requires. */
export function createTargetSearch(
  caps: Caps,
  load: (signers: Signers) => Promise<Targets>,
  top: Signers,
): TargetSearch {
  const walk = createWalk(caps, load);
  const elsewhere = new Map<string, FoundTarget>();
  const find = async (path: string, budget: Walk["budget"]): Promise<FoundTarget | null> => {
    let found: FoundTarget | null = null;
    const isWanted = (role: DelegatedRole): boolean => isDelegated(role, path);
    const visit: Walk["visit"] = (role, { targets }) => {
      const file = targets[path];
      if (file) found = { path, file, role };
      return found !== null;
    };
    await walk(top, { isWanted, isExhaustive: false, visit, budget });
    return found;
  };
  return {
    find: (path) => find(path, { patterns: caps.delegationPatterns }),
    list: async (channel, kind) => {
      // New for each listing: the keys of one kind must not use up the budget of the other.
      const budget = { patterns: caps.delegationPatterns };
      const most = elsewhere.size + mostElsewhere;
      const paths = new Set<string>();
      const isWanted = (role: DelegatedRole): boolean => mayHold(role, channel, kind);
      const visit: Walk["visit"] = (role, { targets }) => {
        for (const [path, file] of Object.entries(targets)) {
          if (path.startsWith(`${channel}/${kind}/`)) paths.add(path);
          else if (path.split("/")[1] === kind && elsewhere.size < most)
            elsewhere.set(path, { path, file, role });
        }
        return false;
      };
      await walk(top, { isWanted, isExhaustive: true, visit, budget });
      // A role may name targets that it may not sign for: only targets that the search reaches count.
      const found: FoundTarget[] = [];
      for (const [index, path] of [...paths].entries()) {
        // In a turn of the event loop as many as take some ten milliseconds.
        if (index % 500 === 499) await setImmediate();
        const target = await find(path, budget);
        if (target) found.push(target);
      }
      return found;
    },
    elsewhere: () => [...elsewhere.values()],
  };
}

/** TUF §5.6.7: depth first, in the order of the delegations. */
function createWalk(caps: Caps, load: (signers: Signers) => Promise<Targets>) {
  // By the delegation itself: a role's metadata under one delegator mean nothing under another.
  const loaded = new Map<Role, Targets>();
  return async (top: Signers, { isWanted, isExhaustive, visit, budget }: Walk): Promise<void> => {
    const visited = new Set<string>();
    const pending: { role: Role; signers: Signers; depth: number }[] = [
      { role: top, signers: top, depth: 0 },
    ];
    for (let step = pending.pop(); step !== undefined; step = pending.pop()) {
      const { role, signers, depth } = step;
      if (visited.has(signers.name)) continue; // §5.6.7.1: a cycle ends here
      visited.add(signers.name);
      if (visited.size > caps.delegatedRoles + 1 || depth > caps.delegationDepth) throw tooMany(caps);
      const targets = loaded.get(role) ?? (await load(signers));
      loaded.set(role, targets);
      if (visit(signers.name, targets)) return;
      const { roles = [], keys = {} } = targets.delegations ?? {};
      budget.patterns -= roles.reduce((sum, one) => sum + patternsOf(one), 0);
      if (budget.patterns < 0) throw tooMany(caps);
      const wanted = roles.filter(isWanted);
      const last = isExhaustive ? -1 : wanted.findIndex((one) => one.terminating);
      if (last >= 0) pending.length = 0; // §5.6.7.2.1: roles after a terminating delegation are not searched
      const next = last < 0 ? wanted : wanted.slice(0, last + 1);
      pending.push(
        ...next.map((one) => ({ role: one, signers: { ...one, keys }, depth: depth + 1 })).reverse(),
      );
    }
  };
}

function patternsOf({ paths, path_hash_prefixes: prefixes }: DelegatedRole): number {
  return Math.max(1, paths?.length ?? 0, prefixes?.length ?? 0);
}

function tooMany({ delegatedRoles, delegationDepth, delegationPatterns }: Caps): StewardError {
  return new StewardError(
    "update_limit_exceeded",
    `The repository delegates to more than ${delegatedRoles} roles, deeper than ${delegationDepth}, or by so many patterns that more than ${delegationPatterns} would have to be compared.`,
  );
}
