/**
 * The installer as a process to be killed in the middle: `node … JSON`, a CrashRequest. Ends with 3, and the code of what was
 * thrown on standard output, where it was refused.
 */

import { StewardError } from "../../src/contract/errors.ts";
import { createCounter } from "../installer/crashing-host.ts";
import { deviceIn } from "../installer/device.ts";
import { runInstallerInProcess, underVirtualTime } from "../installer/installer-in-process.ts";
import { useOpenSsl } from "../publisher/quick-ed25519.ts";
import type { CrashRequest } from "./crash-harness.ts";

const request = JSON.parse(process.argv[2] ?? "") as CrashRequest;
process.umask(0o022);
useOpenSsl();
try {
  await runInstallerInProcess(deviceIn(request.directory), request.order, {
    counter: createCounter(request.crash),
    change: underVirtualTime(request.startSeconds),
  });
} catch (error) {
  if (!(error instanceof StewardError)) throw error;
  process.stdout.write(error.code);
  process.exitCode = 3;
}
