import type { Fault } from "../../contract/errors.ts";
import { httpIsRoots } from "../../contract/notifications/receivers.ts";
import type { Settings } from "../../contract/types.ts";
import { type SettingsGuard, settingFault } from "./faults.ts";

export interface ReceiverGuardOptions {
  /** Root's decisions in the host file. */
  readonly allowLocalServers: boolean;
  readonly allowHttp: boolean;
  /** True if an address names this host or its own link, judged by the address as it is written. */
  readonly isLocalServer: (server: string) => boolean;
}

/**
 * Refuses receivers on this device and its own link, and webhooks by plain HTTP: a writer of settings could otherwise have
 * the agent call a server that listens on the device for its own programs, or send what the device reports in clear. A
 * receiver that is there already does not stop other changes.
 */
export function createReceiverGuard(options: ReceiverGuardOptions): SettingsGuard {
  return {
    faultsOf: ({ notify }) =>
      (notify?.receivers ?? []).flatMap((receiver, index) => addressFaults(options, receiver, index)),
    refusalOf: async () => null,
  };
}

function addressFaults(
  { allowLocalServers, allowHttp, isLocalServer }: ReceiverGuardOptions,
  { url, server }: Settings["notify"]["receivers"][number],
  index: number,
): Fault[] {
  const refuse = (member: string, detail: string): Fault =>
    settingFault(`/notify/receivers/${index}/${member}`, "validation_failed", {
      code: "not_allowed",
      detail,
    });
  const isLocal = isLocalServer(url ?? `http://${server?.includes(":") ? `[${server}]` : server}`);
  const member = url === undefined ? "server" : "url";
  if (isLocal && !allowLocalServers)
    return [
      refuse(
        member,
        "must not be a loopback or link-local address; for a trial, root sets notify.allow_local_servers in the host file",
      ),
    ];
  return url?.startsWith("http:") && !allowHttp ? [refuse("url", httpIsRoots)] : [];
}
