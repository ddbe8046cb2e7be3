import { fetchPayload } from "../releases/download/payload.ts";
import { RootFollower } from "../tuf/root-following.ts";
import { readRootToInstall } from "../tuf/root-of-trust.ts";
import { runCheck } from "./check/check-run.ts";

/**
 * The parts that only a device with a root of trust needs: the client of repositories, and the arithmetic of
 * signatures.
 */
export const updateClient = { runCheck, fetchPayload, readRootToInstall, RootFollower };
