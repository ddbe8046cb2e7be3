import { createCertificates } from "../../certificates/certificates.ts";
import { readOwnPair } from "../../certificates/self-made.ts";
import type { ExaminedHost } from "../../cli/client/context.ts";
import { readInstalledPairs } from "../../host/linux/certificates/installed-pairs.ts";
import { readRealTimeClock } from "../../host/linux/clock/real-time-clock.ts";
import { createRunCommand } from "../../host/linux/commands.ts";
import { checkedHttps } from "../../host/linux/host-file/host-file-https.ts";
import { readSealKeys } from "../../host/linux/host-file/seal-keys.ts";
import { createRootHelper, usualHelperSocket } from "../../host/linux/systemd/root-helper.ts";
import { createUptime } from "../../host/linux/uptime.ts";
import { readDecisions } from "../host-file.ts";

/** This host for commands that examine it; nothing is opened or loaded before it is asked for. */
export function openExaminedHost(uid: () => number | undefined): ExaminedHost {
  return {
    run: createRunCommand(),
    readSealKeys,
    readRealTimeClock: () => readRealTimeClock(),
    uptime: createUptime(),
    helper: createRootHelper(usualHelperSocket),
    readHostFile: (path) => readDecisions(path, uid()),
    readCertificates,
    checkHttps: (https, refuse) => void checkedHttps(https, refuse),
  };
}

const readCertificates: ExaminedHost["readCertificates"] = async (installed, ownDirectory) => {
  const certificates = createCertificates({
    readInstalled: () => readInstalledPairs(installed.directory, installed),
    selfMade: { read: () => readOwnPair(ownDirectory) },
    log: () => undefined,
    record: () => undefined,
  });
  await certificates.read();
  return certificates;
};
