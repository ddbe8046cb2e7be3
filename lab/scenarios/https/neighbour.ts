import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";

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
  const ran = await guest.run("sh", ["-ec", steps]);
  guest.check("there is a LAN with a neighbour", ran.status === 0, ran);
}

export const inNeighbour = (guest: Guest, ...words: readonly string[]): Promise<Ran> =>
  guest.run("ip", ["netns", "exec", "neighbour", ...words]);
