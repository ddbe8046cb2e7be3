import { readRootOfTrust } from "../tuf/root-of-trust.ts";
import { readRootToInstall, vouchesFor } from "../tuf/root-succession.ts";
import { fly } from "./check/check-run.ts";
import { fetchPayload } from "./download/payload.ts";

/**
 * What only a device with a root of trust needs: the client of repositories, the arithmetic of signatures. All of it is
 * loaded by one import of this file, for each part of the program costs every start some memory.
 */
export const workshop = { fly, fetchPayload, readRootOfTrust, readRootToInstall, vouchesFor };
