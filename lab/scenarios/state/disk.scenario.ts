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
  boots: [
    {
      units: [],
      run: async (guest) => {
        await starts(guest, mountState);
        await addUser(guest);
        await becomes(guest, "on a sound disk a setting is changed", change);
        await readOnly(guest);
        await full(guest);
        await fullFromTheBeginning(guest);
      },
    },
  ],
};

async function starts(guest: Guest, before: string): Promise<void> {
  await guest.types(`${before}; ${start}`);
  await guest.stewardAnswers();
}

const change = (guest: Guest) => guest.steward("system", "set", "device.location=hall");

/** Waits until the disk takes something. */
async function becomes(guest: Guest, what: string, act: (guest: Guest) => ReturnType<typeof change>) {
  const changed = await guest
    .until(what, 60, async () => {
      const ran = await act(guest);
      if (ran.status === 0) return true;
      throw new Error(ran.stderr);
    })
    .catch((error: unknown) => String(error));
  guest.check(what, changed === true, changed);
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
  const restarts = await guest.property("NRestarts");
  guest.check("it did not have to be restarted", restarts === "0", restarts);
  await guest.types(`mount -o remount,rw ${state}`);
  // A unit has its own view of the disk (ProtectSystem=), with which a start on a read-only one leaves it: systemd gives
  // the next agent another.
  await becomes(guest, "once the disk is mended, changes are taken again", change);
  await guest.stewardAnswers();
}

async function full(guest: Guest): Promise<void> {
  guest.note("the disk is full at the start");
  // The agent's reserve is gone as well: another program has taken it.
  await starts(guest, `${stop}; rm -f ${state}/.reserve; ${fill}`);
  await unwritable(guest, /space|full|ENOSPC/i);
  await guest.types(`rm ${filler}`);
  await becomes(guest, "once there is space, changes are taken again", change);
}

async function fullFromTheBeginning(guest: Guest): Promise<void> {
  guest.note("the disk is full before the first start");
  const empty = `${stop}; umount ${state}; rm -r ${state}; systemd-tmpfiles --create; mkdir -p ${state}`;
  await starts(guest, `${empty}; ${mountState}; ${fill}`);
  const health = await guest.http("/api/health");
  guest.check("it answers, and asks for its set-up", health.status === 200, health.body);
  await guest.types(`rm ${filler}`);
  await becomes(guest, "once there is space, the first administrator is made", addUser);
  const { status, body } = await signIn(guest);
  guest.check("who signs in", status === 200, body);
}
