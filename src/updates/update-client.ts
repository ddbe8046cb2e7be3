import { fetchPayload } from "../releases/download/payload.ts";
import { RootFollower } from "../tuf/root-following.ts";
import { readRootToInstall } from "../tuf/root-of-trust.ts";
import { runCheck } from "./check/check-run.ts";

/** The parts for devices with a root of trust only: the client of repositories, and the arithmetic of signatures. */
export const updateClient = { runCheck, fetchPayload, readRootToInstall, RootFollower };
