import { join } from "node:path";
import { makePayload } from "../payload.ts";
import type { Tier } from "../tier.ts";
import { startMachine } from "./machine.ts";

const image = join(import.meta.dirname, "image");

// As root, so that the namespace is one's own; mapped, so that no capability reaches this machine's clock.
const namespace = ["--map-root-user", "--net", "--pid", "--fork", "--kill-child=SIGKILL"];

/** `make vm-test`: a virtual machine, with a clock and a power supply of its own. */
export const virtualMachines: Tier = {
  target: "vm-test",
  image: (machine) => ({
    cache: machine === "appliance" ? "appliance-vm" : `appliance-vm-${machine}`,
    sources: machine === "autopkgtest" ? join(import.meta.dirname, "image-autopkgtest") : image,
    ...(machine === "autopkgtest" && { base: image }),
    machine,
    withoutRoot:
      "the machine's image is built as root: run `sudo make vm-image` once; the machine itself needs no root",
  }),
  logs: "appliance-vm-runs",
  confined: () => ["unshare", ...namespace, "sh", "-c", 'ip link set lo up && exec "$0" "$@"'],
  // Emulated, with a network card.
  quietBootSeconds: 20,
  prepare: async (place) => {
    const payload = await makePayload({ ...place, tier: "vm" }, place.directory);
    return (index) => startMachine({ ...place, payload, index });
  },
};
