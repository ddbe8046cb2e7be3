import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Uptime } from "../../host/ports.ts";
import type { ClientKey } from "../../users/passwords.ts";

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
  /** The clock epoch and the uptime at the beginning of the flow. */
  readonly epoch: number;
  readonly startedUptime: number;
}

/** The flows under way. Strangers begin them, so they are bounded and only in memory; a restart costs one click. */
export interface Flows {
  /** Returns a token that the page keeps: only the browser that began a flow can end it. */
  open(flow: Flow, clientKey: ClientKey): string;
  /** The flow of this state, once; undefined if it is unknown, too old, used, or another browser's. */
  take(state: string, token: string): Flow | undefined;
}

/** Seconds for a person to sign in at the provider. */
export const flowSeconds = 10 * 60;

/** Flows kept. Beyond them the oldest flow of the client with the most flows is dropped. */
const maximumFlows = 256;

interface Kept {
  readonly flow: Flow;
  readonly clientKey: ClientKey;
  readonly tokenDigest: Buffer;
}

export function createFlows(uptime: Uptime): Flows {
  const flows = new Map<string, Kept>();
  const isOver = ({ flow }: Kept): boolean => uptime() - flow.startedUptime >= flowSeconds;
  return {
    open: (flow, clientKey) => {
      for (const [state, kept] of flows) if (isOver(kept)) flows.delete(state);
      if (flows.size >= maximumFlows) flows.delete(oldestOfBusiest([...flows.values()]));
      const token = `stf_${randomBytes(24).toString("base64url")}`;
      flows.set(flow.state, { flow, clientKey, tokenDigest: digestOf(token) });
      return token;
    },
    take: (state, token) => {
      const kept = flows.get(state);
      if (!kept || isOver(kept) || !timingSafeEqual(kept.tokenDigest, digestOf(token))) return undefined;
      flows.delete(state);
      return kept.flow;
    },
  };
}

/** A client that begins many flows pushes out only its own. */
function oldestOfBusiest(kept: readonly Kept[]): string {
  const counts = new Map<ClientKey, number>();
  for (const { clientKey } of kept) counts.set(clientKey, (counts.get(clientKey) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return kept.find(({ clientKey }) => counts.get(clientKey) === most)?.flow.state ?? "";
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
