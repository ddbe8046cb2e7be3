import type { ExaminedHost } from "../../cli/client/context.ts";
import { readRealTimeClock } from "../../host/linux/clock/real-time-clock.ts";
import { createRunCommand } from "../../host/linux/commands.ts";
import { checkedHttps } from "../../host/linux/host-file/host-file-https.ts";
import { readSealKeys } from "../../host/linux/host-file/seal-keys.ts";
import { createUptime } from "../../host/linux/uptime.ts";
import { readDecisions } from "../host-file.ts";

/** This host for commands that examine it; nothing is opened or loaded before it is asked for. */
export function openExaminedHost(uid: () => number | undefined): ExaminedHost {
  return {
    run: createRunCommand(),
    readSealKeys,
    readRealTimeClock: () => readRealTimeClock(),
    uptime: createUptime(),
    readHostFile: (path) => readDecisions(path, uid()),
    checkHttps: (https, refuse) => void checkedHttps(https, refuse),
  };
}
