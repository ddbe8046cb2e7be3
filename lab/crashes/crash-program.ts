import { StewardError } from "../../src/contract/errors.ts";
import { type CrashPlan, createCounter } from "../installer/crashing-host.ts";
import { deviceIn } from "../installer/device.ts";
import {
  type InstallerOrder,
  runInstallerInProcess,
  underVirtualTime,
} from "../installer/installer-in-process.ts";
import { useOpenSsl } from "../publisher/quick-ed25519.ts";

/**
 * The installer as a process to be killed in the middle gets this as its one argument, as JSON. It ends with 3, and the
 * code of what was thrown on standard output, where it was refused.
 */
export interface CrashRequest {
  readonly directory: string;
  readonly order: InstallerOrder;
  /** The virtual clock starts here. */
  readonly startSeconds: number;
  readonly crash: CrashPlan;
}

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
