import { existsSync, readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { device, lan } from "./neighbour.ts";

const file = "/etc/systemd/dnssd/steward.dnssd";

/** Another computer on the device's LAN, in a network namespace: its Avahi looks for what systemd-resolved announces. */
export const scenario: TieredScenario = {
  title: "found on the LAN: a neighbour's Avahi finds HTTPS that systemd-resolved announces",
  tiers: { container: {} },
  timeoutSeconds: 240,
  files: {
    // docs/tls.md: for itself here, and for the link below.
    "/etc/systemd/resolved.conf.d/mdns.conf": "[Resolve]\nMulticastDNS=yes\nLLMNR=no\n",
    "/etc/systemd/system/avahi-daemon.service.d/neighbour.conf":
      "[Service]\nNetworkNamespacePath=/run/netns/neighbour\n",
    "/etc/avahi/avahi-daemon.conf": "[server]\nhost-name=neighbour\nuse-ipv6=no\n",
  },
  boots: [{ run: found }],
};

async function found(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  await lan(guest);
  await guest.run("systemctl", ["start", "systemd-resolved.service", "avahi-daemon.service"]);
  // It says that it is ready before it has its name on the bus, and the bus would then start another unit of it.
  await guest.until("resolved has its name on the bus", 30, async () => {
    const { stdout } = await guest.run("busctl", ["list", "--acquired"]);
    return stdout.includes("org.freedesktop.resolve1");
  });
  const link = await guest.run("resolvectl", ["mdns", "lan0", "yes"]);
  guest.check("resolved speaks mDNS on the link", link.status === 0, link);
  const name = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
  const own = (text: string): string =>
    text.split("\n").find((line) => line.startsWith("=") && line.includes(`Steward\\032on\\032${name};`)) ??
    "";
  guest.check("before, the neighbour finds nothing", own(await browse(guest)) === "");
  const enabled = await guest.steward("tls", "enable");
  guest.check("HTTPS is switched on, and a file is there", enabled.status === 0 && existsSync(file), enabled);
  const listed = await guest.run("busctl", ["tree", "--list", "org.freedesktop.resolve1"]);
  guest.check("resolved has read it", listed.stdout.includes("/dnssd/steward"), listed);
  const seen = await guest.until("the neighbour finds it", 40, async () => own(await browse(guest)));
  const isWhole = seen.endsWith(`;local;${name}.local;${device};8443;"path=/"`);
  guest.check("with its name, address, port and path", isWhole, seen);
  const named = await guest.run("avahi-resolve", ["-4", "-n", `${name}.local`]);
  guest.check("the neighbour resolves NAME.local", named.stdout.includes(device), named);
  const curl = `ip netns exec neighbour curl -sk https://${device}:8443/api/version`;
  await guest.types(curl, { says: '"steward"', what: "and HTTPS answers it there" });
  const disabled = await guest.steward("tls", "disable");
  guest.check("switched off, the file is gone", disabled.status === 0 && !existsSync(file), disabled);
  // resolved says no goodbye when it is restarted: the neighbour remembers, until its memory is empty.
  await guest.run("systemctl", ["restart", "avahi-daemon.service"]);
  await guest.pause(3);
  guest.check("nor is it announced", own(await browse(guest)) === "");
}

const browse = async (guest: Guest): Promise<string> =>
  (await guest.run("avahi-browse", ["-rpt", "_https._tcp"])).stdout;
