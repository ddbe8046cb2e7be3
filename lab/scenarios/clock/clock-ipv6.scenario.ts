import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { in1970, timeSettings, trueServers, trusted, untilStatus } from "./clock-scenario.ts";

const names = trueServers.map((_, index) => `ntp${index + 1}.example`);

const servers = names.map((name, index) => `${name}:${trueServers[index]?.port}`);

/** Documentation addresses (RFC 3849): the router takes the packets, and nothing ever comes back. */
const dead = (name: string, index: number) => [
  `2001:db8:${index}::1 ${name}`,
  `2001:db8:${index}::2 ${name}`,
];

/** A network that gives an IPv6 address and a default route, behind which there is nothing, as providers and routers do. */
export const scenario: TieredScenario = {
  title: "names whose first two addresses are IPv6 that leads nowhere give the time by their third",
  tiers: { vm: {} },
  timeoutSeconds: 700,
  servers: trueServers,
  files: {
    ...timeSettings({ servers }),
    "/etc/hosts": `127.0.0.1 localhost\n${names
      .flatMap((name, index) => [...dead(name, index), `10.0.2.2 ${name}`])
      .join("\n")}\n`,
  },
  boots: [{ rtc: in1970, units: [], run: byTheThird }],
};

async function byTheThird(guest: Guest): Promise<void> {
  await guest.types(
    "ip -6 address add 2001:db8:ffff::15/64 dev eth0 nodad; ip -6 route add 2001:db8::/32 via fe80::2 dev eth0",
  );
  await guest.types(`getent ahosts ${names[0]}`, { says: /^2001:db8:/ });
  await trusted(guest);
  // A majority gives the time before the others have come to their third address, or come to it again after a lost packet.
  await untilStatus(guest, "each server is asked at its third address", 300, ({ sources }) =>
    sources.every(({ address }: { address: string }) => address === "10.0.2.2"),
  );
  await guest.types(`steward time probe ${servers.join(" ")}`, {
    what: "the probe says what the service does",
  });
}
