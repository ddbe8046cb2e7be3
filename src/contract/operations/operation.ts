import type { ErrorCode } from "../error-codes.ts";
import type { EventType } from "../event-types.ts";
import type { Scope } from "../scopes.ts";
import type { roleNames } from "../shapes.ts";

/**
 * The callers that an operation admits.
 * - `open`: anyone; a valid token may show more.
 * - `session`: users who signed in with a password, for what concerns only themselves.
 * - a list: these roles, and local root. With `self`, also the user whose id is the path's `{id}`.
 * - `self`: only that user, not even local root, for what only they may know.
 * - `token`: only a program, for its own API token, whatever its scopes are.
 * - `local`: only root and the service's own user, through the socket on the device.
 */
export type Access =
  | "open"
  | "session"
  | "self"
  | "token"
  | "local"
  | { readonly roles: readonly (typeof roleNames)[number][]; readonly self?: true };

export const everyone = { roles: ["admin", "operator", "readonly"] } as const satisfies Access;
export const admins = { roles: ["admin"] } as const satisfies Access;

export interface Operation {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** An OpenAPI path template. */
  readonly path: string;
  readonly summary: string;
  /** Other effects, refusals and use, for authors of clients. Only the OpenAPI document has it: programs leave it out. */
  readonly description: string;
  readonly access: Access;
  /** Answers although no administrator exists yet, and in rescue when it is also `inRescue`. */
  readonly beforeSetup?: true;
  readonly inRescue?: true;
  /** Open to a user who must first change the password. */
  readonly beforePasswordChange?: true;
  /** Open to a user who must first enrol a second factor. */
  readonly beforeEnrolment?: true;
  /** Takes a password (and code) of the last minutes; `others`: not for users' own. Local root and tokens have none. */
  readonly stepUp?: true | "others";
  /** For what only the user may call: how an administrator does it for them, after "An administrator ". */
  readonly insteadForAdmins?: string;
  /** Only root's command line calls it, over the socket: the OpenAPI document, for clients, leaves it out. */
  readonly isOfCommandLine?: true;
  /** The scope that lets an API token call it; without one no API token may. */
  readonly scope?: Scope;
  /** `set`: may put a browser's refresh token into a cookie; `read`: takes it from there, with X-Refresh-Binding. */
  readonly cookie?: "set" | "read";
  /** Only the console's page uses it, to which a sign-in provider sends the browser back. */
  readonly ofConsole?: true;
  /** Accepts a token whose time claims are all that is wrong with it, for a clock that is to be mended. */
  readonly clockTolerant?: true;
  readonly pathParameters?: Readonly<Record<string, object>>;
  readonly query?: object;
  readonly body?: object;
  /** A request without a body is one with an empty object. */
  readonly bodyOptional?: true;
  /** In place of a JSON body, a file (application/octet-stream) of so many bytes at most, read as it arrives. */
  readonly upload?: { readonly maximumBytes: number };
  /**
   * The one success. `etag`: a strong ETag is sent, and If-Match is honoured on writes. `stream`: an event stream
   * (WHATWG HTML §9.2) whose messages' data have this schema. `file`: JSON that the build has written, in its codings.
   */
  readonly response: {
    /** 202: it goes on after the answer; the schema says how it is. */
    readonly status: 200 | 201 | 202 | 204 | 302;
    readonly schema?: object;
    readonly etag?: true;
    /**
     * A weak ETag is sent (RFC 9110 §8.8.1) and If-None-Match answered with 304. Two answers have the same if they differ
     * only in these members, as JSON Pointers of one or two names: figures of the moment.
     */
    readonly weakEtag?: readonly string[];
    readonly stream?: true;
    readonly file?: true;
    /** The media type of an answer that is text and not JSON. */
    readonly mediaType?: string;
    /** Bytes of `mediaType`, made while they are sent; the event is recorded once all of them have left. */
    readonly bytes?: true;
    /** No answer has a body: the handler reads the request's headers, and answers with headers. These are its other statuses. */
    readonly headers?: readonly (200 | 302 | 401 | 403)[];
    /** With 201: the path under which what was made is found by its id. */
    readonly collection?: string;
  };
  /** With an Idempotency-Key a repeated request gets the first one's answer. */
  readonly idempotencyKey?: true;
  /** If-Match is honoured though the success has no ETag; where it has one, it is on writes. */
  readonly precondition?: true;
  /** The type of the event of a success; reads have none. */
  readonly event?: EventType;
  /** Codes of this operation's own; those that follow from access, body and parameters are derived. */
  readonly errors?: readonly ErrorCode[];
}

export const newPasswordErrors = [
  "password_too_short",
  "password_too_long",
  "password_blocklisted",
  "password_contains_identity",
  "hashing_busy",
] as const satisfies readonly ErrorCode[];

/** A write that counts against its account's budget (http/write-budget.ts): all but those by which users sign in and out. */
export function isBudgeted({ method, path, access }: Operation): boolean {
  return method !== "GET" && access !== "open" && access !== "local" && !path.startsWith("/api/auth/");
}

/** The groups of operations, by the first part of their paths; all other operations are of the system. */
export const operationGroups = [
  "system",
  "setup",
  "auth",
  "users",
  "tokens",
  "events",
  "logs",
  "updates",
  "notifications",
  "product",
] as const;

export type OperationGroup = (typeof operationGroups)[number];

export function groupOf({ path }: Pick<Operation, "path">): OperationGroup {
  const part = path.split("/")[2];
  return operationGroups.find((group) => group === part) ?? "system";
}
