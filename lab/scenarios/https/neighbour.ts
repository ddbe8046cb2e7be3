import { mkdirSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";

/** The device's address on a LAN that it has with one neighbour. */
export const device = "192.0.2.7";

/** A cable between the device and another computer, which is a network namespace. */
export async function lan(guest: Guest): Promise<void> {
  const steps = `ip netns add neighbour
ip link add lan0 type veth peer name lan1 netns neighbour
ip addr add ${device}/24 dev lan0 && ip link set lan0 up multicast on
ip -n neighbour addr add 192.0.2.8/24 dev lan1
ip -n neighbour link set lan1 up multicast on
ip -n neighbour link set lo up`;
  await guest.types(`set -e; ${steps}`, { what: "there is a LAN with a neighbour" });
}

const otherUnit = `[Service]
Type=exec
NetworkNamespacePath=/run/netns/neighbour
TemporaryFileSystem=/run/avahi-daemon
ExecStart=/usr/sbin/avahi-daemon --syslog --file /etc/avahi/other-box.conf
`;

/** The neighbour is a box of the same name, and was there first: Avahi gives the device another, which this returns. */
export async function otherBox(guest: Guest, name: string): Promise<string> {
  mkdirSync("/run/systemd/system", { recursive: true });
  writeFileSync("/run/systemd/system/other-box.service", otherUnit);
  writeFileSync("/etc/avahi/other-box.conf", `[server]\nhost-name=${name}\nuse-ipv6=no\nenable-dbus=no\n`);
  writeFileSync("/etc/avahi/avahi-daemon.conf", "[server]\nallow-interfaces=lan0\n");
  // Either of two that begin at once may give way.
  await guest.types(
    "systemctl daemon-reload; systemctl stop avahi-daemon.socket avahi-daemon.service; systemctl start other-box",
  );
  const isUp = { says: `startup complete. Host name is ${name}.local`, what: "the other box has the name" };
  await guest.becomes("journalctl -u other-box -o cat --no-pager", 30, isUp);
  await guest.types("systemctl start avahi-daemon");
  return guest.until("Avahi gives the second box another name", 30, async () => {
    const place = ["org.freedesktop.Avahi", "/", "org.freedesktop.Avahi.Server"];
    const { stdout } = await guest.run("busctl", ["call", ...place, "GetHostNameFqdn"]);
    const [, found = ""] = /^s "(.+)"/.exec(stdout) ?? [];
    return found !== "" && found !== `${name}.local` && found;
  });
}
