import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { type LanNaming, usualLanName } from "../../lan-names.ts";
import type { RunCommand } from "../../ports.ts";

/** Milliseconds. Another device's name is in Avahi's memory; for that of none it would wait 5 s. */
const timeoutMilliseconds = 2_000;

const avahi = ["call", "org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server"];
const resolved = ["get-property", "org.freedesktop.resolve1", "/org/freedesktop/resolve1"];

/** Each is there while its daemon runs; otherwise no process is started. */
const places = { avahi: "/run/avahi-daemon/pid", resolved: "/run/systemd/resolve/io.systemd.Resolve" };

/**
 * Asks Avahi and systemd-resolved, over D-Bus, which any user may. Either gives this host another name where another device
 * has its own. The name is never judged by its form: an attacker can choose one that looks like it.
 */
export function createLanNames(
  run: RunCommand,
  { avahi: avahiPlace, resolved: resolvedPlace } = places,
): LanNaming {
  let own: readonly string[] = [];
  let [usual, isOfResolved, taken]: [string, boolean, string | null] = ["", false, null];
  /** The texts in the answer to busctl(1), in lower case; none where there is no answer. */
  const ask = async (place: string, ...words: string[]): Promise<string[]> => {
    if (!existsSync(place)) return [];
    const asked = run("busctl", ["--auto-start=no", ...words], { timeoutMilliseconds });
    const { status, stdout } = await asked.catch(() => ({ status: null, stdout: "" }));
    return status !== 0
      ? []
      : [...stdout.toLowerCase().matchAll(/"([^"\\]*)"/g)].map(([, text = ""]) => text);
  };
  return {
    present: () => ({ own, taken }),
    look: async (hostname) => {
      const [[ofAvahi], [label, isOn]] = await Promise.all([
        ask(avahiPlace, ...avahi, "GetHostNameFqdn"),
        ask(resolvedPlace, ...resolved, `${resolved[1]}.Manager`, "LLMNRHostname", "MulticastDNS"),
      ]);
      usual = usualLanName(hostname);
      isOfResolved = isOn === "yes";
      const former = own.join();
      own = [...(ofAvahi === undefined ? [] : [ofAvahi]), ...(isOfResolved ? [`${label}.local`] : [])];
      // The holder of the usual one is not known yet beside another name.
      if (own.length === 0 || own.includes(usual) || own.join() !== former) taken = null;
    },
    seek: async () => {
      const name = usual;
      if (own.length === 0 || own.includes(name)) return;
      // Avahi may have been given its name, resolved goes by the host's.
      const find = ["ResolveHostName", "iisiu", "--", "-1", "-1", name, "-1", "0"];
      taken = isOfResolved || isOther((await ask(avahiPlace, ...avahi, ...find))[1]) ? name : null;
    },
  };
}

function isOther(address: string | undefined): boolean {
  const own = Object.values(networkInterfaces()).flat();
  return address !== undefined && !own.some((one) => one?.address === address);
}
