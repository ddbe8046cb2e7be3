import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser, signIn } from "../people.ts";

const state = "/var/lib/steward";
/** The directory of a file system that is not the state's. */
const filler = `${state}/lost+found/filler`;
const [stop, start] = ["systemctl stop steward", "systemctl start steward"];
/** A disk of its own for the state, small enough to be filled. */
const mountState = `mount -t tmpfs -o size=32m,mode=0700 tmpfs ${state}; mkdir -m 700 ${state}/lost+found; chown steward: ${state}`;
const fill = `cat /dev/zero >${filler} 2>/dev/null`;

/** The state partition at a boot: mounted read-only, full, and full before there was anything on it. */
export const scenario: TieredScenario = {
  title: "the agent starts on a read-only and on a full state disk, and goes on when it is mended",
  tiers: { container: {} },
  timeoutSeconds: 300,
  boots: [{ units: [], run: disks }],
};

const change = "steward system set device.location=hall";

async function disks(guest: Guest): Promise<void> {
  await starts(guest, mountState);
  await addUser(guest);
  await guest.types(change);
  await readOnly(guest);
  await full(guest);
  await fullFromTheBeginning(guest);
}

async function starts(guest: Guest, before: string): Promise<void> {
  await guest.types(`${before}; ${start}`);
  await guest.stewardAnswers();
}

/** Sign-in, status, logs, time and rescue go on; changes are refused with 507; health says so. */
async function unwritable(guest: Guest, reason: RegExp): Promise<void> {
  const signedIn = await signIn(guest);
  guest.check("the administrator signs in", signedIn.status === 200, signedIn.body);
  const token = String(signedIn.body.access_token);
  for (const path of ["/api/system", "/api/logs", "/api/system/time-sync", "/api/updates"]) {
    const { status, body } = await guest.http(path, { token });
    guest.check(`GET ${path} works`, status === 200, body);
  }
  const body = { device: { location: "nowhere" } };
  const put = await guest.http("/api/system", { method: "PUT", token, body });
  guest.check("a change is answered 507 storage_full", put.status === 507, put.body);
  const health = await guest.http("/api/health", { token });
  const isSaid = reason.test(JSON.stringify(health.body.checks));
  guest.check("health is degraded, and says why", health.body.status === "degraded" && isSaid, health.body);
  await guest.types("steward user list", { says: "root-admin" });
}

async function readOnly(guest: Guest): Promise<void> {
  guest.note("the disk is read-only at the start");
  await guest.types(`${stop}; mount -o remount,ro ${state}; steward user list`, { says: "root-admin" });
  await guest.types("steward system set device.location=nowhere", { status: "fails", says: "mount" });
  await starts(guest, "true");
  await unwritable(guest, /read-only|EROFS/i);
  await guest.types("systemctl show -P NRestarts steward", { says: /^0$/m });
  await guest.types(`mount -o remount,rw ${state}`);
  // A unit has its own view of the disk (ProtectSystem=), with which a start on a read-only one leaves it: systemd gives
  // the next agent another.
  await guest.becomes(change, 60);
  await guest.stewardAnswers();
}

async function full(guest: Guest): Promise<void> {
  guest.note("the disk is full at the start");
  // The agent's reserve is gone as well: another program has taken it.
  await starts(guest, `${stop}; rm -f ${state}/.reserve; ${fill}`);
  await unwritable(guest, /space|full|ENOSPC/i);
  await guest.types(`rm ${filler}`);
  await guest.becomes(change, 60);
}

async function fullFromTheBeginning(guest: Guest): Promise<void> {
  guest.note("the disk is full before the first start");
  const empty = `${stop}; umount ${state}; rm -r ${state}; systemd-tmpfiles --create; mkdir -p ${state}`;
  await starts(guest, `${empty}; ${mountState}; ${fill}`);
  await guest.types(`rm ${filler}`);
  await guest.until("the first administrator is made", 60, async () => (await addUser(guest)).status === 0);
  const { status, body } = await signIn(guest);
  guest.check("who signs in", status === 200, body);
}
