import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import type { Guest } from "../guest/vocabulary.ts";

/**
 * Lets `journalctl --follow` see the container's entries in the sandbox of steward-logs. nspawn lays a boot id of the
 * container's own over /proc, by which journald marks entries. The unit's sandbox mounts a /proc of its own without it,
 * where journalctl would look for the boot of this computer and find none.
 */
export async function giveOwnBootId(guest: Guest): Promise<void> {
  const id = "/proc/sys/kernel/random/boot_id";
  writeFileSync("/run/boot-id", readFileSync(id));
  mkdirSync("/run/systemd/system/steward-logs.service.d", { recursive: true });
  const dropIn = `[Service]\nBindReadOnlyPaths=/run/boot-id:${id}\n`;
  writeFileSync("/run/systemd/system/steward-logs.service.d/boot-id.conf", dropIn);
  await guest.run("systemctl", ["daemon-reload"]);
}
