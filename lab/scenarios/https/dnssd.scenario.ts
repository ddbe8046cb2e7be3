import { readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";
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
  boots: [{ run: walk(lan, found) }],
};

async function found(guest: Guest): Promise<void> {
  await guest.types("systemctl start systemd-resolved avahi-daemon");
  // It says that it is ready before it has its name on the bus, and the bus would then start another unit of it.
  await guest.becomes("busctl list --acquired", 30, { says: "org.freedesktop.resolve1" });
  await guest.types("resolvectl mdns lan0 yes");
  const name = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
  const browse = `avahi-browse -rpt _https._tcp | grep -F '=;' | grep -F 'Steward\\032on\\032${name};'`;
  await guest.types(browse, { status: 1, what: "before, the neighbour finds nothing" });
  await guest.types(`steward tls enable && ls ${file}`);
  await guest.types("busctl tree --list org.freedesktop.resolve1", { says: "/dnssd/steward" });
  await guest.becomes(browse, 40, { says: `;local;${name}.local;${device};8443;"path=/"` });
  await guest.types(`avahi-resolve -4 -n ${name}.local`, { says: device });
  const curl = `ip netns exec neighbour curl -sk https://${device}:8443/api/version`;
  await guest.types(curl, { says: '"steward"', what: "and HTTPS answers it there" });
  // resolved says no goodbye when it is restarted: the neighbour remembers, until its memory is empty.
  await guest.types(`steward tls disable && ! ls ${file} && systemctl restart avahi-daemon`);
  await guest.pause(3);
  await guest.types(browse, { status: 1, what: "nor is it announced" });
}
