import { authDescriptions } from "../operations/auth.ts";
import { configurationDescriptions } from "../operations/configuration.ts";
import { eventDescriptions } from "../operations/events.ts";
import { hostDescriptions } from "../operations/host.ts";
import { logDescriptions } from "../operations/logs.ts";
import { notificationDescriptions } from "../operations/notifications.ts";
import { restoreDescriptions } from "../operations/restore.ts";
import { systemDescriptions } from "../operations/system.ts";
import { timeDescriptions } from "../operations/time.ts";
import { tokenDescriptions } from "../operations/tokens.ts";
import { twoFactorDescriptions } from "../operations/two-factor.ts";
import { updateDescriptions } from "../operations/updates.ts";
import { userDescriptions } from "../operations/users.ts";
import type { OperationId } from "../operations.ts";

/**
 * The description of each operation: what else it changes, when it is refused, and how to use it. Each group has its own in
 * a table that bundles leave out, because only the OpenAPI document has them.
 */
export const descriptions: Readonly<Record<OperationId, string>> = {
  ...authDescriptions,
  ...configurationDescriptions,
  ...eventDescriptions,
  ...hostDescriptions,
  ...logDescriptions,
  ...notificationDescriptions,
  ...restoreDescriptions,
  ...systemDescriptions,
  ...timeDescriptions,
  ...tokenDescriptions,
  ...twoFactorDescriptions,
  ...updateDescriptions,
  ...userDescriptions,
};
