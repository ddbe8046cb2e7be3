import { backupExamples, backupShapes } from "../backup/backup.ts";
import { configurationExamples, configurationShapes } from "../configuration.ts";
import { duration, moment } from "../durations.ts";
import { historyShapes } from "../figures/history.ts";
import { notificationExamples, notificationShapes } from "../notifications/receivers.ts";
import { productExamples, productShapes } from "../product.ts";
import { authExamples, authShapes } from "../schemas/auth.ts";
import { clockExamples, clockShapes } from "../schemas/clock.ts";
import { consoleExamples, consoleShapes } from "../schemas/console.ts";
import { eventShapes } from "../schemas/events.ts";
import { logShapes } from "../schemas/logs.ts";
import { probeExamples, probeShapes } from "../schemas/settings.ts";
import { settingsExamples, settingsShapes } from "../schemas/settings-forms.ts";
import { statusShapes } from "../schemas/status.ts";
import { systemExamples, systemShapes } from "../schemas/system.ts";
import { tlsExamples, tlsShapes } from "../schemas/tls.ts";
import { tokenExamples, tokenShapes } from "../schemas/tokens.ts";
import { twoFactorExamples, twoFactorShapes } from "../schemas/two-factor.ts";
import { updateExamples, updateShapes, updates } from "../schemas/updates.ts";
import { userExamples, userShapes } from "../schemas/users.ts";
import { problem, role, timestamp } from "../shapes.ts";
import { displayName } from "../text/visible-text.ts";

const errorCode = {
  ...updates.properties.blockers.properties.rules.properties.code,
  description: "what a program goes by; later versions add codes",
} as const;

/**
 * The shapes that have a name of their own in the OpenAPI document, as a client's author would call them. Every body and
 * every answer has one, and every part that more than one of them contains. A client's types are called by these names:
 * under one `api_version` none is renamed. Each file of schemas names its own, in a function, so that bundles leave it out.
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
  ...userShapes(),
  ...authShapes(),
  ...twoFactorShapes(),
  ...tokenShapes(),
  ...configurationShapes(),
  ...eventShapes(),
  ...logShapes(),
  ...backupShapes(),
  ...systemShapes(),
  ...statusShapes(),
  ...historyShapes(),
  ...consoleShapes(),
  ...tlsShapes(),
  ...productShapes(),
  ...settingsShapes(),
  ...clockShapes(),
  ...probeShapes(),
  ...updateShapes(),
  ...notificationShapes(),
} as const satisfies Record<string, object>;

export type ShapeName = keyof typeof shapes;

/** One example each of the shapes that have one, as short as they are useful: the document has them all. */
export const examples: Partial<Readonly<Record<ShapeName, unknown>>> = {
  ...userExamples,
  ...authExamples,
  ...twoFactorExamples,
  ...tokenExamples,
  ...configurationExamples,
  ...backupExamples,
  ...systemExamples,
  ...consoleExamples,
  ...tlsExamples,
  ...productExamples,
  ...settingsExamples,
  ...clockExamples,
  ...probeExamples,
  ...updateExamples,
  ...notificationExamples,
};

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

/** Shapes whose members are described elsewhere, which saves a hundredth of the document, and the sentence that says where. */
export const describedBy: Partial<Readonly<Record<ShapeName, string>>> = {
  SettingsChange: "its members are described at Settings; an absent one stays as it is",
  Configuration: "its members are described in docs/apply.schema.json; an absent one stays as it is",
  ConfiguredUser: "its members are described in docs/apply.schema.json; an absent one stays as it is",
  ConfiguredToken: "its members are described in docs/apply.schema.json",
};
