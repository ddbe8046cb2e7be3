import * as schemas from "../configuration.ts";
import { admins, type Operation } from "./operation.ts";

export const configurationOperations = {
  getSealKey: {
    method: "GET",
    path: "/api/configuration/seal-key",
    summary: "The key that second factors for this device are sealed to, in a document for it",
    description:
      "For `steward seal-key`, over the socket on the device alone. It is made of the device's sealing key, and another one once that is another.",
    access: "local",
    isOfCommandLine: true,
    response: { status: 200, schema: schemas.sealKey },
    errors: ["second_factor_unavailable"],
  },
  exportConfiguration: {
    method: "GET",
    path: "/api/configuration",
    summary: "This device as a document that changes nothing here",
    description:
      "For `steward apply --export`, over the socket on the device alone. It has hashes of passwords and of tokens, and second factors that only the device of the key can open.",
    access: "local",
    isOfCommandLine: true,
    query: schemas.exportQuery,
    response: { status: 200, schema: schemas.exportedConfiguration },
    errors: ["validation_failed"],
  },
  applyConfiguration: {
    method: "POST",
    path: "/api/configuration",
    summary:
      "bring users, API tokens, settings and the root of trust to what one document says: all of it or nothing; a document that is in force already changes nothing",
    description:
      "For `steward apply`, over the socket on the device alone. Members that are absent stay as they are. All faults are told at once, each with its place in the document, and then nothing is changed. What a loss of power interrupts is finished at the next start, before the agent answers.",
    access: "local",
    isOfCommandLine: true,
    query: schemas.configurationQuery,
    body: schemas.configuration,
    response: { status: 200, schema: schemas.configurationResult },
    errors: ["validation_failed", "storage_full", "storage_unwritable"],
    event: "configuration.applied",
  },
  checkConfiguration: {
    method: "POST",
    path: "/api/configuration/check",
    summary: "Compare the device with a document of `steward apply`; changes nothing",
    description:
      "Names the members that `steward apply` would change, never a value. A document that could not be applied is refused with all its faults. Over the network it has 64 KiB at most.",
    access: admins,
    scope: "configuration:read",
    body: schemas.configuration,
    response: { status: 200, schema: schemas.configurationDifferences },
    errors: ["validation_failed"],
  },
  getConfigurationDigest: {
    method: "GET",
    path: "/api/configuration/digest",
    summary: "Show digests of users, tokens and settings, and if the device is still what was applied last",
    description:
      "SHA-256 of the canonical form (RFC 8785) of each part. It compares a device with itself at another time.",
    access: admins,
    scope: "configuration:read",
    response: { status: 200, schema: schemas.configurationDigest },
  },
} as const satisfies Record<string, Operation>;
