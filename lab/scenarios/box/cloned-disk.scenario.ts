import { readdirSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser } from "../people.ts";

const state = "/var/lib/steward";

/** Layers in memory: the container's own disk is an overlay, above which there can be no other's upper layer. */
const layers = `set -e
mkdir /run/layers
mount -t tmpfs -o mode=0755 tmpfs /run/layers
cd /run/layers
mkdir upper work
cp --archive ${state} lower
chown --reference=lower upper
chmod --reference=lower upper
mount -t overlay overlay -o lowerdir=lower,upperdir=upper,workdir=work ${state}
rm /etc/machine-id
systemd-id128 new >/etc/machine-id
`;

export const scenario: TieredScenario = {
  title: "a cloned disk is taken over with the state in a lower layer of overlayfs",
  tiers: { container: {} },
  timeoutSeconds: 180,
  boots: [{ run: cloned }],
};

async function cloned(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  await addUser(guest);
  const before = await guest.api("/api/events?after=0");
  await guest.run("systemctl", ["stop", "steward.service"]);
  const laid = await guest.run("sh", ["-c", layers]);
  if (laid.status !== 0) throw new Error(laid.stderr);
  await guest.run("systemctl", ["start", "--no-block", "steward.service"]);
  await guest.stewardAnswers();
  const users = await guest.steward("user", "list");
  guest.check("the accounts are there", users.stdout.includes("root-admin"), users);
  const { items } = await guest.api("/api/events?after=0");
  const [first] = items;
  const isNew = first.seq === 1 && first.type === "host.identity_changed";
  guest.check("a new record of events begins", isNew, { before: before.items[0], first });
  const names = readdirSync(`${state}/events-before`);
  guest.check("the one of the machine before is kept", names.length > 0, names);
  const pid = await guest.property("MainPID");
  await guest.run("systemctl", ["restart", "steward.service"]);
  await guest.stewardAnswers();
  const again = await guest.api("/api/events?after=0");
  const news = again.items.filter(({ type }: { type: string }) => type === "host.identity_changed");
  guest.check("once", news.length === 1 && pid !== (await guest.property("MainPID")), news);
}
