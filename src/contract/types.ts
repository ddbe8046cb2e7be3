import type { FromSchema, JSONSchema } from "json-schema-to-ts";
import type * as configuration from "./configuration.ts";
import type { history } from "./figures/history.ts";
import type { AnyFindingCode, damageKinds, FindingCode, findingKinds, replacements } from "./findings.ts";
import type { hostFile } from "./host-file/host-file.ts";
import type { delivery, receiverStates } from "./notifications/receivers.ts";
import type { OperationId, operations } from "./operations.ts";
import type { product } from "./product.ts";
import type * as auth from "./schemas/auth.ts";
import type { clockSource, timeSync } from "./schemas/clock.ts";
import type { consoleGreeting } from "./schemas/console.ts";
import type * as events from "./schemas/events.ts";
import type * as logs from "./schemas/logs.ts";
import type { settings, timeProbe } from "./schemas/settings.ts";
import type { settingsChange } from "./schemas/settings-forms.ts";
import type { status } from "./schemas/status.ts";
import type * as system from "./schemas/system.ts";
import type { tls } from "./schemas/tls.ts";
import type { apiToken, tokenList } from "./schemas/tokens.ts";
import type * as twoFactor from "./schemas/two-factor.ts";
import type * as updateApplying from "./schemas/update-applying.ts";
import type { passedOver } from "./schemas/update-passed-over.ts";
import type * as updateReasons from "./schemas/update-reasons.ts";
import type { updateTrust } from "./schemas/update-trust.ts";
import type * as updates from "./schemas/updates.ts";
import type * as users from "./schemas/users.ts";
import type { problem, roleNames } from "./shapes.ts";

type Typed<S> = S extends JSONSchema ? FromSchema<S> : never;

/** As a caller may send it: a member with a default may be absent. */
type Sent<S> = S extends JSONSchema ? FromSchema<S, { keepDefaultedPropertiesOptional: true }> : never;

export type Role = (typeof roleNames)[number];
export type User = Typed<typeof users.user>;
export type UserList = Typed<typeof users.userList>;
export type UserQuery = Sent<typeof users.listUsersQuery>;
export type BegunAtProvider = Typed<typeof auth.begunAtProvider>;
export type Session = Typed<typeof auth.session>;
export type SessionList = Typed<typeof auth.sessionList>;
export type TwoFactor = Typed<typeof twoFactor.twoFactor>;
export type Enrolment = Typed<typeof twoFactor.enrolment>;
export type Passkey = Typed<typeof twoFactor.passkey>;
export type NewPasskey = Typed<typeof twoFactor.newPasskey>;
export type PasskeyProof = Typed<typeof auth.passkeyProof>;
export type PasskeyCreation = Typed<typeof twoFactor.passkeyCreation>;
export type ApiToken = Typed<typeof apiToken>;
export type TokenList = Typed<typeof tokenList>;
export type ProblemClock = Typed<typeof problem.properties.clock>;
export type PasskeyRequest = Typed<typeof problem.properties.passkey>;
export type Settings = Typed<typeof settings>;
export type SettingsChange = Typed<typeof settingsChange>;
/** One document for a whole device, and what came of it. */
export type Configuration = Sent<typeof configuration.configuration>;
export type ConfigurationResult = Typed<typeof configuration.configurationResult>;
export type ExportedConfiguration = Typed<typeof configuration.exportedConfiguration>;
export type ConfigurationDigest = Typed<typeof configuration.configurationDigest>;
export type ConfigurationDifferences = Typed<typeof configuration.configurationDifferences>;
export type HostFileDocument = Typed<typeof hostFile>;
export type ConfigurationChange = ConfigurationResult["changes"][number];
/** The receivers of messages, as the API lists them. */
export type ReceiverStates = Typed<typeof receiverStates>["receivers"];
export type DeliveryAnswer = Typed<typeof delivery>;
export type Product = Typed<typeof product>;
export type Version = Typed<typeof system.version>;
export type ConsoleGreeting = Typed<typeof consoleGreeting>;
export type Problem = Typed<typeof problem>;
export type Health = Typed<typeof system.health>;
export type DamageKind = (typeof damageKinds)[number];
export type Replacement = (typeof replacements)[number];

/** A fault, or what a person has to see to: made once, and printed by health, status, metrics, doctor and console. */
export type Finding<Code extends AnyFindingCode = FindingCode> = {
  [One in Code]: {
    readonly code: One;
    readonly level: Need["level"];
    readonly facts: FactsOf<One>;
    readonly detail: string;
    readonly remedy: Need["remedy"];
  };
}[Code];

type FactsOf<Code extends AnyFindingCode> = Code extends FindingCode
  ? {
      readonly [Fact in (typeof findingKinds)[Code]["facts"][number]]: Typed<
        (typeof system.findingFacts)[Fact]
      >;
    }
  : object;
export type HostSettings = Typed<typeof system.hostSettings>;
export type Facts = Typed<typeof system.facts>;
export type Status = Typed<typeof status>;
export type History = Typed<typeof history>;
export type Tls = Typed<typeof tls>;
export type Need = Status["needs"][number];
export type TimeSync = Typed<typeof timeSync>;
export type TimeProbe = Typed<typeof timeProbe>;
export type ClockSummary = TimeSync["summary"];
export type ClockConflict = NonNullable<TimeSync["discipliner"]["conflict"]>;
export type TimeSource = Typed<typeof clockSource>;
export type Updates = Typed<typeof updates.updates>;
export type UpdateTrust = Typed<typeof updateTrust>;
export type UpdateProgress = Typed<typeof updates.updateProgress>;
export type UpdateTrial = Typed<typeof updateApplying.updateTrial>;
export type SetAsideRelease = Typed<typeof updateApplying.setAsideRelease>;
export type FailedRelease = Typed<typeof updateApplying.failedRelease>;
export type UpdateHistory = Typed<typeof updateApplying.updateHistory>;
export type HistoryEntry = Typed<typeof updateApplying.historyEntry>;
export type Release = Typed<typeof updates.release>;
export type UpdateReason = Typed<typeof updateReasons.updateReason>;
export type ReleaseHold = NonNullable<Typed<typeof updateReasons.hold>>;
export type UpdateProblem = Typed<typeof updateReasons.updateProblem>;
export type UpdateSummary = Typed<typeof updateReasons.updateSummary>;
export type TrustStatus = Typed<typeof updateReasons.trustStatus>;
export type TrialNextStep = Typed<typeof updateReasons.trialStep>;
export type PassedOver = Typed<typeof passedOver>;
export type AuditEvent = Typed<typeof events.event>;
export type EventCounts = Typed<typeof events.eventCounts>;
export type EventList = Typed<typeof events.eventList>;
export type EventReach = Typed<typeof events.eventReach>;
export type LogEntry = Typed<typeof logs.logEntry>;
export type LogList = Typed<typeof logs.logList>;
export type LogCounts = Typed<typeof logs.logCounts>;
export type LogQuery = Sent<typeof logs.listLogsQuery>;
export type SeverityWord = (typeof logs.severityWords)[number];

type Table = typeof operations;

/** A file for the agent, piece by piece. The agent reads it once; a client can give it again for a repeated request. */
export interface Upload extends AsyncIterable<Uint8Array> {
  /** null: not known before its end. */
  readonly lengthBytes: number | null;
}

/** The input of an operation: path parameters, query and body, each already validated. */
export interface Input<Id extends OperationId> {
  params: Table[Id] extends { pathParameters: infer P } ? { [K in keyof P]: string } : undefined;
  query: Table[Id] extends { query: infer Q } ? Sent<Q> : undefined;
  body: Table[Id] extends { body: infer B }
    ? Sent<B>
    : Table[Id] extends { upload: object }
      ? Upload
      : undefined;
}

export type StreamId = {
  [Id in OperationId]: Table[Id]["response"] extends { stream: true } ? Id : never;
}[OperationId];

/** The answer of an operation on success; undefined for 204. Bytes are read as they come. */
export type Output<Id extends OperationId> = Table[Id]["response"] extends { bytes: true }
  ? AsyncIterable<Uint8Array>
  : Table[Id]["response"] extends { schema: infer S }
    ? Typed<S>
    : undefined;
