import type { ClientKey } from "./users/passwords.ts";

export interface SessionClient {
  /** The client's address; `local` on the unix socket. */
  readonly address: string;
  readonly userAgent: string;
  readonly requestId?: string;
}

/** The key that a client's attempts are counted by. */
export interface ThrottledClient {
  /** Null: the device itself, which is never slowed down. */
  readonly clientKey: ClientKey;
  /** On loopback: the key of the local user who owns the connection, if the host knows it. */
  readonly keyOfUser?: (() => Promise<string>) | undefined;
}

/** The client of a request, whatever operation it asks for. */
export interface RequestContext extends SessionClient, ThrottledClient {
  readonly requestId: string;
  /** The origin of the page that sent the request, where it is the device's own. */
  readonly pageOrigin?: string | undefined;
}
