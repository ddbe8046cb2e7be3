/**
 * The parts that only a device with a root of trust needs: the client of repositories, and the arithmetic of
 * signatures.
 */
export { fetchPayload } from "../releases/download/payload.ts";
export { RootFollower } from "../tuf/root-following.ts";
export { readRootToInstall } from "../tuf/root-of-trust.ts";
export { runCheck } from "./check/check-run.ts";
