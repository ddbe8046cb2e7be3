import { needOf } from "../contract/finding.ts";
import type { Finding, Health, Need } from "../contract/types.ts";

/** One part of the agent or the device that can fail. */
export interface HealthCheck {
  readonly name: string;
  /** Null: all is well. */
  readonly trouble: () => Finding | null;
  /** Less grave ones beside it, each a need of its own. */
  readonly further?: () => readonly Finding[];
}

/** The health of the agent from its checks; `isDetailed` names each of them. */
export function readHealth(checks: readonly HealthCheck[], isDetailed: boolean): Health {
  const results = checks.map(({ name, trouble }) => {
    const found = trouble();
    if (found === null) return { name, status: "ok" as const, code: "ok" as const, detail: "", facts: {} };
    const { code, detail, facts } = found;
    return { name, status: "degraded" as const, code, detail, facts };
  });
  const status = results.every((result) => result.status === "ok") ? "ok" : "degraded";
  return isDetailed ? { status, checks: results } : { status };
}

export function troublesOf(checks: readonly HealthCheck[]): Need[] {
  return checks.flatMap(({ name, trouble, further }) => {
    const found = trouble();
    return found === null ? [] : [found, ...(further?.() ?? [])].map((one) => needOf(one, name));
  });
}
