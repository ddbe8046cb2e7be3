import { duration, moment } from "../durations.ts";
import * as auth from "../schemas/auth.ts";
import * as clock from "../schemas/clock.ts";
import { consoleGreeting } from "../schemas/console.ts";
import * as events from "../schemas/events.ts";
import * as logs from "../schemas/logs.ts";
import { probeRequest, timeProbe } from "../schemas/settings.ts";
import { settingsChange, settingsView } from "../schemas/settings-forms.ts";
import { status } from "../schemas/status.ts";
import * as system from "../schemas/system.ts";
import { reloaded, tls } from "../schemas/tls.ts";
import * as tokens from "../schemas/tokens.ts";
import * as twoFactor from "../schemas/two-factor.ts";
import * as applying from "../schemas/update-applying.ts";
import { passedOver, passedOverCounts } from "../schemas/update-passed-over.ts";
import * as reasons from "../schemas/update-reasons.ts";
import { trustRequest, updateTrust } from "../schemas/update-trust.ts";
import * as updates from "../schemas/updates.ts";
import * as users from "../schemas/users.ts";
import { displayName, problem, role, timestamp, userId, username } from "../shapes.ts";

const { properties: sync } = clock.timeSync;
const { properties: view } = settingsView;
const { properties: summary } = clock.clockSummary;

const errorCode = {
  ...updates.updates.properties.blockers.properties.rules.properties.code,
  description: "what a program goes by; later versions add codes",
} as const;

/**
 * The shapes that have a name of their own in the OpenAPI document, as a client's author would call them. Every body and
 * every answer has one, and every part that more than one of them contains. A client's types are called by these names:
 * under one `api_version` none is renamed.
 */
export const shapes = {
  Timestamp: timestamp,
  Duration: duration,
  Moment: moment,
  DisplayName: displayName,
  Role: role,
  ErrorCode: errorCode,
  Problem: { ...problem, properties: { ...problem.properties, code: errorCode } },
  ProblemClock: problem.properties.clock,
  InputError: problem.properties.errors.items,

  UserId: userId,
  Username: username,
  User: users.user,
  UserTwoFactor: users.user.properties.two_factor,
  UserLock: users.user.properties.locked.oneOf[1],
  UserList: users.userList,
  UserCounts: users.userList.properties.counts,
  NewUser: users.createUser,
  CreatedUser: users.userWithInitialPassword,
  UserChange: users.updateUser,
  PasswordResetRequest: users.resetPassword,
  ResetUser: users.resetUser,
  RescueRequest: users.rescueUser,
  RescuedUser: users.rescuedUser,

  SetupStatus: auth.setupStatus,
  SetupRequest: auth.setUp,
  SignInRequest: auth.login,
  SignInCodeRequest: auth.totp,
  RefreshRequest: auth.refresh,
  ProofRequest: auth.reauth,
  StepUp: auth.stepUp,
  SignedIn: auth.session,
  SignedInSession: auth.session.properties.session,
  PasswordChange: auth.changePassword,
  SessionId: auth.sessionId,
  Session: auth.sessionList.properties.items.items,
  SessionList: auth.sessionList,

  TwoFactor: twoFactor.twoFactor,
  TwoFactorEnrolment: twoFactor.enrolment,
  TwoFactorEnableRequest: twoFactor.enable,
  TwoFactorEnabled: twoFactor.enabled,
  TwoFactorRecoverRequest: twoFactor.recover,
  TwoFactorRecovered: twoFactor.recovered,
  SignedInAfterRecovery: twoFactor.recovered.anyOf[0],
  RecoveredUser: twoFactor.recovered.anyOf[1],
  RecoveryCodes: twoFactor.recoveryCodes,

  TokenId: tokens.tokenId,
  Scope: tokens.apiToken.properties.scopes.items,
  ApiToken: tokens.apiToken,
  ApiTokenList: tokens.tokenList,
  NewApiToken: tokens.createToken,
  CreatedApiToken: tokens.createdToken,

  Event: events.event,
  EventList: events.eventList,
  EventReach: events.eventReach,
  EventType: events.listEventsQuery.properties.type,
  EventGap: events.gap,
  EventMessage: events.streamedEvent,
  LogEntry: logs.logEntry,
  LogList: logs.logList,
  LogSeverity: logs.logEntry.properties.priority,

  Version: system.version,
  HealthState: system.health.properties.status,
  Health: system.health,
  HealthCheck: system.health.properties.checks.items,
  Status: status,
  Need: status.properties.needs.items,
  ConsoleGreeting: consoleGreeting,
  Metrics: system.metricsText,
  SystemFacts: system.facts,
  MemoryFacts: system.facts.properties.memory,
  LoadFacts: system.facts.properties.load,
  HostSettings: system.hostSettings,
  HostChange: system.hostChange,
  PowerRequest: system.powerRequest,
  PowerAnswer: system.powerAnswer,
  FactoryResetRequest: system.factoryResetRequest,
  FactoryResetAnswer: system.factoryResetAnswer,
  AcceptedDamage: system.acceptedDamage,
  Tls: tls,
  TlsCertificate: tls.properties.certificate,
  Reloaded: reloaded,

  Settings: settingsView,
  SettingsChange: settingsChange,
  DeviceSettings: view.device,
  TimeSettings: view.time,
  UpdateSettings: view.update,
  UpdateWindow: view.update.properties.windows.items,
  SecuritySettings: view.security,
  ConsoleSettings: view.console,

  TimeSync: clock.timeSync,
  ClockMode: sync.mode,
  ClockState: sync.state,
  ClockTrust: sync.trust,
  ClockSummary: clock.clockSummary,
  ClockNotSet: summary.not_set,
  DaemonTrouble: summary.daemon_trouble,
  ClockSource: clock.clockSource,
  ClockSourceReason: clock.sourceReason,
  ClockConflict: sync.discipliner.properties.conflict,
  SyncRequest: clock.syncRequest,
  TimeServer: probeRequest.properties.servers.items,
  TimeProbeRequest: probeRequest,
  TimeProbe: timeProbe,
  ProbedServer: timeProbe.properties.servers.items,

  Updates: updates.updates,
  UpdateState: updates.updates.properties.state,
  UpdateKind: updates.release.properties.kind,
  UpdateSummary: reasons.updateSummary,
  UpdateProblem: reasons.updateProblem,
  UpdateBlocker: updates.updates.properties.blockers.properties.rules,
  UpdateReason: reasons.updateReason,
  UpdateCheck: updates.updates.properties.schedule.properties.last_check,
  UpdateProgress: updates.updateProgress,
  UpdateTrial: applying.updateTrial,
  UpdateTrust: updateTrust,
  Release: updates.release,
  ReleaseName: reasons.updateProblem.properties.release.oneOf[1],
  ReleaseHold: reasons.hold,
  SetAsideRelease: applying.setAsideRelease,
  FailedRelease: applying.failedRelease,
  PassedOverRelease: passedOver,
  PassedOverCounts: passedOverCounts,
  UpdateHistory: applying.updateHistory,
  UpdateHistoryEntry: applying.historyEntry,
  UpdateCheckRequest: updates.checkRequest,
  UpdateApplyRequest: applying.applyRequest,
  UpdateRollbackRequest: applying.rollbackRequest,
  UpdatePostponeRequest: applying.postponeRequest,
  UpdateDismissRequest: applying.dismissRequest,
  UpdateTrustRequest: trustRequest,
} as const satisfies Record<string, object>;

export type ShapeName = keyof typeof shapes;

/** Shapes of answers that are another one with more members. A client has them as that one, and what is added. */
export const extensions: Partial<Readonly<Record<ShapeName, ShapeName>>> = {
  CreatedUser: "User",
  ResetUser: "CreatedUser",
  RescuedUser: "ResetUser",
  RecoveredUser: "User",
  SignedInAfterRecovery: "SignedIn",
  FailedRelease: "SetAsideRelease",
  CreatedApiToken: "ApiToken",
};

/** Shapes whose members are described at the one that is named. */
export const describedBy: Partial<Readonly<Record<ShapeName, ShapeName>>> = { SettingsChange: "Settings" };
