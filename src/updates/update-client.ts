import { readRootOfTrust, readRootToInstall, vouchesFor } from "../tuf/root-of-trust.ts";
import { fly } from "./check/check-run.ts";
import { fetchPayload } from "./download/payload.ts";

/**
 * The client of update repositories: what fetches and verifies, with the arithmetic of signatures. Imported when it is
 * first needed, as one part of the program: a device without a root of trust never needs it.
 */
export const updateClient = { fly, fetchPayload, readRootOfTrust, readRootToInstall, vouchesFor };
