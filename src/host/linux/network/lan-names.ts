import { existsSync } from "node:fs";
import { networkInterfaces } from "node:os";
import { type LanNames, type LanNaming, usualLanName } from "../../lan-names.ts";
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
  let present: LanNames = { own: [], taken: null };
  const askAvahi = (...words: string[]) => ask(run, avahiPlace, [...avahi, ...words]);
  return {
    present: () => present,
    look: async (hostname) => {
      const usual = usualLanName(hostname);
      const [[ofAvahi], [label, isOn]] = await Promise.all([
        askAvahi("GetHostNameFqdn"),
        ask(run, resolvedPlace, [...resolved, `${resolved[1]}.Manager`, "LLMNRHostname", "MulticastDNS"]),
      ]);
      const ofResolved = isOn === "yes" ? `${label}.local` : undefined;
      const own = [ofAvahi, ofResolved].filter((name) => name !== undefined);
      // Avahi may have been given its name, resolved goes by the host's.
      const isRenamed = own.length > 0 && !own.includes(usual);
      const holder = async () =>
        (await askAvahi("ResolveHostName", "iisiu", "--", "-1", "-1", usual, "-1", "0"))[1];
      const isTaken = isRenamed && (ofResolved !== undefined || isForeign(await holder()));
      present = { own, taken: isTaken ? usual : null };
    },
  };
}

/** The texts in the answer to busctl(1), in lower case; none where there is no answer. */
async function ask(run: RunCommand, place: string, words: readonly string[]): Promise<string[]> {
  if (!existsSync(place)) return [];
  try {
    const { status, stdout } = await run("busctl", ["--auto-start=no", ...words], { timeoutMilliseconds });
    return status === 0
      ? [...stdout.toLowerCase().matchAll(/"([^"\\]*)"/g)].map(([, text = ""]) => text)
      : [];
  } catch {
    return [];
  }
}

function isForeign(address: string | undefined): boolean {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map((one) => one.address),
  );
  return address !== undefined && !own.includes(address);
}
