import * as schemas from "../configuration.ts";
import type { Operation } from "./operation.ts";

/** A whole device from one file. */
export const configurationOperations = {
  getSealKey: {
    method: "GET",
    path: "/api/configuration/seal-key",
    summary: "The key that second factors for this device are sealed to, in a document for it",
    access: "local",
    isOfCommandLine: true,
    response: { status: 200, schema: schemas.sealKey },
    errors: ["second_factor_unavailable"],
  },
  applyConfiguration: {
    method: "POST",
    path: "/api/configuration",
    summary:
      "bring users, API tokens, settings and the root of trust to what one document says: all of it or nothing; a document that is in force already changes nothing",
    access: "local",
    isOfCommandLine: true,
    query: schemas.configurationQuery,
    body: schemas.configuration,
    response: { status: 200, schema: schemas.configurationResult },
    errors: ["validation_failed", "storage_full", "storage_unwritable"],
    event: "configuration.applied",
  },
} as const satisfies Record<string, Operation>;
