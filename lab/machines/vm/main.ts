/** make vm-test: runs the scenarios named, or all, in the virtual machine; --build-only: builds its image alone. */
import { join } from "node:path";
import { runTier } from "../tier.ts";

const image = join(import.meta.dirname, "image");

// As root, so that the namespace is one's own; mapped, so that no capability reaches this machine's clock.
const namespace = ["--map-root-user", "--net", "--pid", "--fork", "--kill-child=SIGKILL"];

await runTier({
  name: "vm-test",
  image: (machine) => ({
    cache: machine === "appliance" ? "appliance-vm" : `appliance-vm-${machine}`,
    sources: machine === "autopkgtest" ? join(import.meta.dirname, "image-autopkgtest") : image,
    ...(machine === "autopkgtest" && { base: image }),
    machine,
    withoutRoot:
      "the machine's image is built as root: run `sudo make vm-image` once; the machine itself needs no root",
  }),
  program: join(import.meta.dirname, "run-in-vm.ts"),
  logs: "appliance-vm-runs",
  confined: () => ["unshare", ...namespace, "sh", "-c", 'ip link set lo up && exec "$0" "$@"'],
});
