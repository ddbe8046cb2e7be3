import type { EventType } from "../../contract/event-types.ts";

/** The actor of an event; `agent` is the agent itself, `product` a unit of the product. */
export interface EventActor {
  readonly kind: "anonymous" | "local-root" | "user" | "token" | "agent" | "product";
  readonly id: string | null;
  readonly name: string | null;
}

/** The user or thing that an event is about. */
export interface EventSubject {
  readonly id: string;
  readonly name: string;
}

/** Facts as contract/events declares them; never a secret. */
export type EventDetails = Readonly<Record<string, string | number | boolean | null | readonly string[]>>;

/** An event that has no place among the others yet. */
export interface EventFacts {
  readonly type: EventType;
  readonly actor: EventActor;
  readonly subject: EventSubject | null;
  /** Address, or `local`. */
  readonly from: string;
  /** The key of that client, such as the /64 of an IPv6 address: its refusals are counted together. It is not kept. */
  readonly client?: string;
  readonly requestId: string | null;
  readonly details: EventDetails;
  /** Times that it has happened where they are counted already; absent: the record counts its repeats. */
  readonly count?: number;
  /** An untrusted text, only for its line in the log. */
  readonly said?: string | undefined;
}

export interface EventSink {
  /**
   * Records a change; settles when it is on the disk, or kept in memory because the disk takes nothing. Never throws.
   */
  record(facts: EventFacts): Promise<void>;
  /** Records a refusal, which may be counted together with similar ones. `code` is its error code. Never throws. */
  refuse(facts: EventFacts, code: string): void;
}

/** An event that the agent caused or noticed without a request. */
export function agentEvent(type: EventType, details: EventDetails): EventFacts {
  const actor = { kind: "agent", id: null, name: null } as const;
  return { type, actor, subject: null, from: "local", requestId: null, details };
}

export function productEvent(type: EventType, unit: string, details: EventDetails): EventFacts {
  return { ...agentEvent(type, details), actor: { kind: "product", id: unit, name: unit } };
}
