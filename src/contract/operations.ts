import { authOperations } from "./operations/auth.ts";
import { configurationOperations } from "./operations/configuration.ts";
import { eventOperations } from "./operations/events.ts";
import { hostOperations } from "./operations/host.ts";
import { logOperations } from "./operations/logs.ts";
import type { Operation } from "./operations/operation.ts";
import { systemOperations } from "./operations/system.ts";
import { timeOperations } from "./operations/time.ts";
import { tokenOperations } from "./operations/tokens.ts";
import { twoFactorOperations } from "./operations/two-factor.ts";
import { updateOperations } from "./operations/updates.ts";
import { userOperations } from "./operations/users.ts";

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
  ...configurationOperations,
  ...eventOperations,
  ...logOperations,
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** The operation with its optional members visible, for code that treats all of them alike. */
export function operationOf(id: OperationId): Operation {
  return operations[id];
}

export const operationIds = Object.keys(operations) as OperationId[];
