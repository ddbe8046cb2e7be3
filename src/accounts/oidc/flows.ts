import { randomBytes } from "node:crypto";
import type { Uptime } from "../../host/ports.ts";
import { hashOfToken } from "../sessions/refresh-token.ts";
import { createTimedTable } from "../timed-table.ts";
import type { ClientKey } from "../users/passwords.ts";

/** A sign-in that this device has sent to the provider and that has not come back yet. */
export interface Flow {
  /** Ties the provider's answer to this device's request (RFC 6749 §10.12). */
  readonly state: string;
  /** The provider repeats it in the ID token (OpenID Connect Core 1.0 §3.1.2.1). */
  readonly nonce: string;
  /** RFC 7636. */
  readonly verifier: string;
  readonly redirectUri: string;
  /** The session to step up; null: a sign-in. */
  readonly sessionId: string | null;
  /** The clock epoch and the uptime, in seconds, at the beginning of the flow. */
  readonly epoch: number;
  readonly startedUptime: number;
}

/** Seconds for a person to sign in at the provider. */
export const flowSeconds = 10 * 60;

/** Flows kept. Beyond them the oldest flow of the client with the most flows is dropped. */
const maximumFlows = 256;

/** The flows under way. Strangers begin them, so they are bounded and only in memory; a restart costs one click. */
export function createFlows(uptime: Uptime) {
  const flows = createTimedTable<{ readonly flow: Flow; readonly tokenHash: string }>({
    ...{ seconds: flowSeconds, uptime, most: maximumFlows },
  });
  return {
    /** Returns a token that the page keeps: only the browser that began a flow can end it. */
    open: (flow: Flow, clientKey: ClientKey): string => {
      const token = `stf_${randomBytes(24).toString("base64url")}`;
      flows.put(flow.state, { flow, tokenHash: hashOfToken(token) }, clientKey);
      return token;
    },
    /** The flow of this state, once; undefined if it is unknown, too old, used, or another browser's. */
    take: (state: string, token: string): Flow | undefined => {
      const kept = flows.get(state);
      if (kept?.tokenHash !== hashOfToken(token)) return undefined;
      flows.delete(state);
      return kept.flow;
    },
  };
}
