import { authOperations } from "./auth.ts";
import { configurationOperations } from "./configuration.ts";
import { eventOperations } from "./events.ts";
import { hostOperations } from "./host.ts";
import { logOperations } from "./logs.ts";
import { notificationOperations } from "./notifications.ts";
import type { Operation } from "./operation.ts";
import { productOperations } from "./product.ts";
import { restoreOperations } from "./restore.ts";
import { systemOperations } from "./system.ts";
import { timeOperations } from "./time.ts";
import { tokenOperations } from "./tokens.ts";
import { twoFactorOperations } from "./two-factor.ts";
import { updateOperations } from "./updates.ts";
import { userOperations } from "./users.ts";

/** Every route of the agent. Routes, validation, types, OpenAPI and the command line's client derive from it. */
export const operations = {
  ...systemOperations,
  ...hostOperations,
  ...timeOperations,
  ...updateOperations,
  ...authOperations,
  ...userOperations,
  ...twoFactorOperations,
  ...tokenOperations,
  ...productOperations,
  ...configurationOperations,
  ...restoreOperations,
  ...eventOperations,
  ...logOperations,
  ...notificationOperations,
} as const satisfies Record<string, Operation>;
