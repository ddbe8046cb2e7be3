import { authOperations } from "./auth-operations.ts";
import { eventOperations } from "./event-operations.ts";
import { logOperations } from "./log-operations.ts";
import type { Operation } from "./operation.ts";
import { systemOperations } from "./system-operations.ts";
import { timeOperations } from "./time-operations.ts";
import { tokenOperations } from "./token-operations.ts";
import { twoFactorOperations } from "./two-factor-operations.ts";
import { updateOperations } from "./update-operations.ts";
import { userOperations } from "./user-operations.ts";

/** Every route of the agent. Routes, validation, types, OpenAPI and the command line's client derive from it. */
export const operations = {
  ...systemOperations,
  ...timeOperations,
  ...updateOperations,
  ...authOperations,
  ...userOperations,
  ...twoFactorOperations,
  ...tokenOperations,
  ...eventOperations,
  ...logOperations,
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** The operation with its optional members visible, for code that treats all of them alike. */
export function operationOf(id: OperationId): Operation {
  return operations[id];
}

export const operationIds = Object.keys(operations) as OperationId[];
