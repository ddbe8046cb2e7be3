import type { Health, Need, Trouble } from "../contract/types.ts";

/** One part of the agent or the device that can go wrong. */
export interface HealthCheck {
  readonly name: string;
  /** What its trouble is called among the needs of the status. */
  readonly code: Need["code"];
  /** Its trouble means that something does not work; without it, that an administrator should look. */
  readonly isFailure?: true;
  /** Null: all is well. */
  readonly trouble: () => Trouble | null;
}

/** The health of the agent from its checks; `isDetailed` names each of them. */
export function readHealth(checks: readonly HealthCheck[], isDetailed: boolean): Health {
  const results = checks.map(({ name, trouble }) => {
    const found = trouble();
    if (found === null) return { name, status: "ok" as const, code: "ok" as const, detail: "", facts: {} };
    return { name, status: "degraded" as const, ...found };
  });
  const status = results.every((result) => result.status === "ok") ? "ok" : "degraded";
  return isDetailed ? { status, checks: results } : { status };
}

/** The same as needs of the status. */
export function troublesOf(checks: readonly HealthCheck[]): Need[] {
  return checks.flatMap(({ name, code, isFailure, trouble }): Need[] => {
    const found = trouble();
    if (found === null) return [];
    const facts = { check: name, reason: found.code, ...found.facts };
    return [{ code, level: isFailure ? "failing" : "attention", facts, detail: found.detail }];
  });
}
