import type { ClientKey } from "../users/passwords.ts";

/** Who uses a session, as users are shown it. */
export interface SessionClient {
  /** Of the client; `local` on the unix socket. */
  readonly address: string;
  readonly userAgent: string;
  readonly requestId?: string;
}

/** What the attempts of a client are counted under. */
export interface ThrottledClient {
  /** Null is the device itself, which is never slowed down. */
  readonly clientKey: ClientKey;
  /** On loopback: the key of the local user that the connection belongs to, where the host can tell. */
  readonly keyOfUser?: (() => Promise<string>) | undefined;
}

/** The context of a request: its client, beside the requested operation. */
export interface RequestContext extends SessionClient, ThrottledClient {
  readonly requestId: string;
}
