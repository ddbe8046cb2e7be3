import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { residual, timeSettings, trueServers, untilStatus } from "./clock-scenario.ts";

const names = trueServers.map((_, index) => `ntp${index + 1}.example`);

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
    ...timeSettings({ servers: names.map((name, index) => `${name}:${trueServers[index]?.port}`) }),
    "/etc/hosts": `127.0.0.1 localhost\n${names
      .flatMap((name, index) => [...dead(name, index), `10.0.2.2 ${name}`])
      .join("\n")}\n`,
  },
  boots: [{ rtc: "1970-01-02T00:00:00", units: [], run: byTheThird }],
};

async function byTheThird(guest: Guest): Promise<void> {
  await guest.run("ip", ["-6", "address", "add", "2001:db8:ffff::15/64", "dev", "eth0", "nodad"]);
  await guest.run("ip", ["-6", "route", "add", "2001:db8::/32", "via", "fe80::2", "dev", "eth0"]);
  const order = await guest.run("getent", ["ahosts", names[0] ?? ""]);
  guest.check("the C library gives the dead addresses first", order.stdout.startsWith("2001:db8:"), order);
  await guest.run("systemctl", ["start", "--no-block", "steward.service"]);
  await guest.stewardAnswers();
  await untilStatus(guest, "the time is trusted", 180, ({ trust }) => trust === "trusted");
  guest.mark("the time is trusted");
  // As in clock-first: two more exchanges follow the first two, and what they find is slewed.
  await guest.pause(20);
  await residual(guest, "half a minute after the first step");
  // A majority gives the time before the others have come to their third address, or come to it again after a lost packet.
  await untilStatus(guest, "each server is asked at its third address", 300, ({ sources }) =>
    sources.every(({ address }: { address: string }) => address === "10.0.2.2"),
  );
  const probe = await guest.steward(
    "time",
    "probe",
    ...names.map((name, index) => `${name}:${trueServers[index]?.port}`),
  );
  guest.check("the probe says what the service does", probe.status === 0, probe);
  guest.note(probe.stdout);
}
