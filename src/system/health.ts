import type { Health } from "../contract/types.ts";

/** One thing that can go wrong; `trouble` says what a person should know, or null when all is well. */
export interface HealthCheck {
  name: string;
  trouble: () => string | null;
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
