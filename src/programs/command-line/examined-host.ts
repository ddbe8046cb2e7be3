import { hostname, tmpdir } from "node:os";
import { createCertificates } from "../../certificates/certificates.ts";
import { readOwnPair } from "../../certificates/self-made.ts";
import type { ExaminedHost } from "../../cli/client/context.ts";
import type { AsAgent } from "../../host/host.ts";
import { readInstalledPairs } from "../../host/linux/certificates/installed-pairs.ts";
import { signRequest } from "../../host/linux/certificates/openssl.ts";
import { systemAuthorities, verifyByOpenssl } from "../../host/linux/certificates/openssl-verify.ts";
import { readRealTimeClock } from "../../host/linux/clock/real-time-clock.ts";
import { createRunCommand } from "../../host/linux/commands.ts";
import { readSealKeys } from "../../host/linux/host-file/seal-keys.ts";
import { createLanNames } from "../../host/linux/network/lan-names.ts";
import { createRootHelper, usualHelperSocket } from "../../host/linux/systemd/root-helper.ts";
import { openTimeZone } from "../../host/linux/time-zone.ts";
import { createUptime } from "../../host/linux/uptime.ts";
import { namesOfHost } from "../../http/hosts.ts";
import { usualSealKeyFile } from "../agent/config.ts";
import { reachedBy } from "../agent/listeners/own-names.ts";
import { checkHostFile } from "../host-file/check.ts";
import { HostFileRefused, type Reader, readDecisionsInForce, readHostFile } from "../host-file/host-file.ts";
import { keepHostFile, restoreHostFile } from "../host-file/kept.ts";

/** This host for commands that examine it; each part is opened and loaded when it is first asked for. */
export function openExaminedHost(
  uid: () => number | undefined,
  openAgent?: () => Promise<AsAgent | undefined>,
): ExaminedHost {
  const run = createRunCommand();
  let agent: Promise<AsAgent | undefined> | undefined;
  // The agent reads the files that root judges here.
  const reader = async (): Promise<Reader> => {
    agent ??= openAgent?.();
    return [uid(), await agent];
  };
  return {
    run,
    readSealKeys: async (places) => {
      const [, asAgent] = await reader();
      const read = () => readSealKeys(places);
      return asAgent && places.path === usualSealKeyFile ? asAgent(read) : read();
    },
    readRealTimeClock: async () => readRealTimeClock(),
    uptime: createUptime(),
    timeZoneTrouble: openTimeZone().timeZoneTrouble,
    helper: createRootHelper(usualHelperSocket),
    readCertificates,
    reachedBy: async ({ names, https }) => {
      const lanNames = createLanNames(run);
      await lanNames.look(hostname());
      return reachedBy([...namesOfHost(hostname(), lanNames.present()), ...names], https.address);
    },
    signRequest: (request) => signRequest(run, request),
    verifyChain: (certificates, authorities = systemAuthorities) =>
      verifyByOpenssl(run, {
        certificates,
        authorities,
        conditions: ["-no_check_time"],
        directory: tmpdir(),
      }),
    hostFile: {
      inForce: async (path, eyes = "agent") => {
        const own: Reader = eyes === "root" ? [uid()] : await reader();
        const { decisions, trouble } = await readDecisionsInForce(path, ...own);
        return { ...decisions, trouble };
      },
      check: async (path) => {
        try {
          return { faults: [], unknown: (await readHostFile(path, ...(await reader()))).unknown };
        } catch (error) {
          if (error instanceof HostFileRefused) return { faults: error.faults, unknown: error.unknown };
          throw error;
        }
      },
      checkText: checkHostFile,
      keep: async (path) => keepHostFile(path, ...(await reader())),
      restore: async (path) => restoreHostFile(path, ...(await reader())),
    },
  };
}

const readCertificates: ExaminedHost["readCertificates"] = async (installed, ownDirectory) => {
  const certificates = createCertificates(
    () => readInstalledPairs(installed.directory, installed),
    () => readOwnPair(ownDirectory),
    () => undefined,
    () => undefined,
  );
  await certificates.read();
  return certificates;
};
