import type { Operation } from "./operations/operation.ts";
import { operations } from "./operations/table.ts";

export { operations };

export type OperationId = keyof typeof operations;

/** The operation with its optional members visible, for code that treats all of them alike. */
export function operationOf(id: OperationId): Operation {
  return operations[id];
}

export const operationIds = Object.keys(operations) as OperationId[];
