/** The limits that docs/performance.md lists are the constants that bound the agent. */
import { sessionsPerUser } from "../../src/accounts/sessions/sessions.ts";
import { tokensPerUser } from "../../src/accounts/tokens/api-tokens.ts";
import { maximumWaiting } from "../../src/accounts/users/passwords.ts";
import { mostEntries } from "../../src/contract/configuration.ts";
import { mostItems } from "../../src/contract/schemas/lists.ts";
import { rootsBody, strangersBody, usualBody } from "../../src/http/read-json.ts";
import { lanConnections } from "../../src/http/wire/https-listener.ts";
import { longestHours } from "../../src/http/wire/lasting-requests.ts";
import { maxHeaderSize, maximumConnections } from "../../src/http/wire/listeners.ts";
import {
  keptForAdministrators,
  keptForLocalRoot,
  maximumStreams,
  streamsPerSession,
  streamsPerUser,
} from "../../src/http/wire/stream-places.ts";
import { changesOfAccount } from "../../src/http/write-budget.ts";
import { defaultBytes, shares } from "../../src/journal/events/event-log.ts";
import { mostDocumentBytes } from "../../src/store/documents/document-kind.ts";

const kibibytes = (bytes: number): string => `${bytes / 1_024} KiB`;
const mebibytes = (bytes: number): string => `${Math.round((bytes / 2 ** 20) * 10) / 10} MiB`;

const ofUsers = maximumStreams - keptForLocalRoot;

/** Each with its bound, and what happens beyond it. */
export const limits: readonly (readonly [what: string, bound: string, beyond: string])[] = [
  [
    "a request that lasts: a file that is sent, a backup, a support bundle, a stream",
    `${longestHours} hours, and its caller's right to it`,
    "408 `request_timeout`, 401 or 403; an answer or stream ends",
  ],
  ["streams of a session or API token", `${streamsPerSession}`, "429 `rate_limited`"],
  ["streams of a user in all sessions and API tokens", `${streamsPerUser}`, "429 `rate_limited`"],
  [
    "streams of all users",
    `${ofUsers}, of which ${keptForAdministrators} are for administrators only; root has ${keptForLocalRoot} more`,
    "429 `rate_limited`",
  ],
  [
    "changes of an account",
    `${changesOfAccount.burst} at once, and ${changesOfAccount.perSecond} a second after that`,
    "429 `rate_limited`, with `RateLimit` headers",
  ],
  ["API tokens of a user", `${tokensPerUser}`, "409 `token_limit_reached`"],
  ["sessions of a user", `${sessionsPerUser}`, "the one longest unused ends"],
  [
    "users",
    `${mebibytes(mostDocumentBytes)} in a file of the state, some 50,000; ${mostEntries} in one file of \`steward apply\``,
    "507 `storage_unwritable`; 400 `validation_failed`",
  ],
  ["passwords that wait to be hashed", `${maximumWaiting}`, "503 `hashing_busy`"],
  [
    "events",
    `${mebibytes(defaultBytes * shares.changes)} of changes, ${mebibytes(defaultBytes * shares.kept)} of older changes, ${mebibytes(defaultBytes * shares.refusals)} of refusals, ${mebibytes(defaultBytes * shares.reports)} of what the product reports`,
    "the oldest are dropped; of changes those of the account that brings the most",
  ],
  ["items of a page", `${mostItems}`, "400 `validation_failed`; `next_cursor` names the next page"],
  [
    "body of a request",
    `${kibibytes(usualBody.bytes)}; without a valid token ${kibibytes(strangersBody.bytes)}; of root ${kibibytes(rootsBody.bytes)}`,
    "413 `payload_too_large`",
  ],
  ["headers of a request", kibibytes(maxHeaderSize), "431 `headers_too_large`"],
  [
    "connections",
    `${maximumConnections}; over HTTPS ${lanConnections.maximum}, of one stranger ${lanConnections.ofOneStranger}`,
    "idle and strangers' connections are ended first",
  ],
];
