import type { Health, Need } from "../contract/types.ts";

/** One thing that can go wrong; `trouble` says what a person should know, or null when all is well. */
export interface HealthCheck {
  readonly name: string;
  /** What its trouble is called among the needs of the status. */
  readonly code: Need["code"];
  /** Its trouble is not only to be looked at: something does not work. */
  readonly isFailure?: true;
  readonly trouble: () => string | null;
}

/** The health of the agent from its checks; `isDetailed` names each of them. */
export function readHealth(checks: readonly HealthCheck[], isDetailed: boolean): Health {
  const results = checks.map(({ name, trouble }) => {
    const detail = trouble();
    return { name, status: detail === null ? ("ok" as const) : ("degraded" as const), detail: detail ?? "" };
  });
  const status = results.every((result) => result.status === "ok") ? "ok" : "degraded";
  return isDetailed ? { status, checks: results } : { status };
}

/** The same as what a person has to see to. */
export function troublesOf(checks: readonly HealthCheck[]): Need[] {
  return checks.flatMap(({ name, code, isFailure, trouble }): Need[] => {
    const sentence = trouble();
    const level = isFailure ? "failing" : "attention";
    return sentence === null ? [] : [{ code, level, facts: { check: name }, sentence }];
  });
}
