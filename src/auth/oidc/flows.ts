import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import type { Uptime } from "../../host/ports.ts";
import type { ClientKey } from "../../users/passwords.ts";

/** A sign-in at the provider that has begun here and has not come back. */
export interface Flow {
  /** Of the request to the provider, and of its answer (RFC 6749 §10.12). */
  readonly state: string;
  /** In the ID token (OpenID Connect Core 1.0 §3.1.2.1). */
  readonly nonce: string;
  /** RFC 7636. */
  readonly verifier: string;
  readonly redirectUri: string;
  /** The session that is to be stepped up; null: a sign-in. */
  readonly sessionId: string | null;
  /** The clock epoch and the uptime that it began in. */
  readonly epoch: number;
  readonly startedUptime: number;
}

/** The flows under way, in memory alone and bounded: strangers begin them. A restart costs one click. */
export interface Flows {
  /** A token that the page keeps: only the browser that has begun a flow can end it. */
  open(flow: Flow, clientKey: ClientKey): string;
  /** The flow of this state, once; undefined for one that is not known, too old, used, or another browser's. */
  take(state: string, token: string): Flow | undefined;
}

/** Seconds for a person to sign in at the provider. */
export const flowSeconds = 10 * 60;

/** Flows kept; beyond them the oldest of the client with the most goes. */
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

/** A client that begins many pushes out its own alone. */
function oldestOfBusiest(kept: readonly Kept[]): string {
  const counts = new Map<ClientKey, number>();
  for (const { clientKey } of kept) counts.set(clientKey, (counts.get(clientKey) ?? 0) + 1);
  const most = Math.max(...counts.values());
  return kept.find(({ clientKey }) => counts.get(clientKey) === most)?.flow.state ?? "";
}

function digestOf(token: string): Buffer {
  return createHash("sha256").update(token).digest();
}
