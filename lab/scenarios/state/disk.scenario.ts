import { chownSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser, signIn } from "../people.ts";

const state = "/var/lib/steward";
/** The directory of a file system that is not the state's. */
const filler = `${state}/lost+found/filler`;

/** The state partition at a boot: mounted read-only, full, and full before there was anything on it. */
export const scenario: TieredScenario = {
  title: "the agent starts on a read-only and on a full state disk, and goes on when it is mended",
  tiers: { container: {} },
  timeoutSeconds: 300,
  boots: [
    {
      units: [],
      run: async (guest) => {
        await mountState(guest);
        await start(guest);
        await addUser(guest);
        await changes(guest, "on a sound disk a setting is changed", "sound");
        await readOnly(guest);
        await full(guest);
        await fullFromTheBeginning(guest);
      },
    },
  ],
};

/** A disk of its own for the state, small enough to be filled. */
async function mountState(guest: Guest): Promise<void> {
  const { uid, gid } = statSync(state);
  await guest.run("mount", ["-t", "tmpfs", "-o", "size=32m,mode=0700", "tmpfs", state]);
  chownSync(state, uid, gid);
  mkdirSync(`${state}/lost+found`, { mode: 0o700 });
}

const remount = (guest: Guest, how: "ro" | "rw") => guest.run("mount", ["-o", `remount,${how}`, state]);
const start = async (guest: Guest) => {
  const ran = await guest.run("systemctl", ["start", "steward.service"]);
  guest.check("systemctl start steward ends with 0", ran.status === 0, ran);
  await guest.stewardAnswers();
};
const stop = (guest: Guest) => guest.run("systemctl", ["stop", "steward.service"]);

/** Writes until there is no room for one more byte. */
function fill(path: string): void {
  try {
    for (let size = 1 << 20; ; ) {
      try {
        writeFileSync(path, Buffer.alloc(size), { flag: "a" });
      } catch (error) {
        if (size === 1) throw error;
        size >>= 1;
      }
    }
  } catch {
    // That was it.
  }
}

async function session(guest: Guest): Promise<string> {
  const { status, body } = await signIn(guest);
  guest.check("the administrator signs in", status === 200, body);
  return String(body.access_token);
}

/** Waits until a setting can be changed. */
async function changes(guest: Guest, what: string, location: string): Promise<void> {
  const changed = await guest
    .until(what, 60, async () => {
      const ran = await guest.steward("system", "set", `device.location=${location}`);
      if (ran.status === 0) return true;
      throw new Error(ran.stderr);
    })
    .catch((error: unknown) => String(error));
  guest.check(what, changed === true, changed);
}

/** Sign-in, status, logs, time and rescue go on; changes are refused with 507; health says so. */
async function unwritable(guest: Guest, reason: RegExp): Promise<void> {
  const token = await session(guest);
  for (const path of ["/api/system", "/api/logs", "/api/system/time-sync", "/api/updates"]) {
    const { status, body } = await guest.http(path, { token });
    guest.check(`GET ${path} works`, status === 200, body);
  }
  const body = { device: { location: "nowhere" } };
  const put = await guest.http("/api/system", { method: "PUT", token, body });
  guest.check("a change is answered 507 storage_full", put.status === 507, put.body);
  const health = await guest.http("/api/health", { token });
  guest.check("health is degraded", health.body.status === "degraded", health.body);
  guest.check("and says why", reason.test(JSON.stringify(health.body.checks)), health.body);
  const listed = await guest.steward("user", "list");
  guest.check("steward user list works", listed.stdout.includes("root-admin"), listed);
}

async function restartsOf(guest: Guest): Promise<string> {
  const show = ["show", "--property=NRestarts", "--property=ActiveState", "steward.service"];
  return (await guest.run("systemctl", show)).stdout.trim().replaceAll("\n", " ");
}

async function readOnly(guest: Guest): Promise<void> {
  guest.note("the disk is read-only at the start");
  await stop(guest);
  await remount(guest, "ro");
  const listed = await guest.steward("user", "list");
  guest.check(
    "with the agent down, steward user list reads it",
    listed.stdout.includes("root-admin"),
    listed,
  );
  const offline = await guest.steward("system", "set", "device.location=nowhere");
  guest.check(
    "and a change says what to type",
    offline.status !== 0 && /mount/.test(offline.stderr),
    offline,
  );
  await start(guest);
  await unwritable(guest, /read-only|EROFS/i);
  const before = await restartsOf(guest);
  guest.check("it did not have to be restarted", before === "NRestarts=0 ActiveState=active", before);
  await remount(guest, "rw");
  // A unit has its own view of the disk (ProtectSystem=), with which a start on a read-only one leaves it: systemd gives
  // the next agent another.
  await changes(guest, "once the disk is mended, changes are taken again", "mended");
  await guest.stewardAnswers();
  await session(guest);
}

async function full(guest: Guest): Promise<void> {
  guest.note("the disk is full at the start");
  await stop(guest);
  // The agent's reserve is gone as well: another program has taken it.
  rmSync(`${state}/.reserve`, { force: true });
  fill(filler);
  await start(guest);
  await unwritable(guest, /space|full|ENOSPC/i);
  rmSync(filler);
  await changes(guest, "once there is space, changes are taken again", "spacious");
}

async function fullFromTheBeginning(guest: Guest): Promise<void> {
  guest.note("the disk is full before the first start");
  await stop(guest);
  await guest.run("umount", [state]);
  rmSync(state, { recursive: true });
  await guest.run("systemd-tmpfiles", ["--create"]);
  mkdirSync(state, { recursive: true });
  await mountState(guest);
  fill(filler);
  await start(guest);
  const health = await guest.http("/api/health");
  guest.check("it answers, and asks for its set-up", health.status === 200, health.body);
  rmSync(filler);
  const added = await guest
    .until("once there is space, the first administrator is made", 60, async () => {
      const ran = await addUser(guest);
      if (ran.status === 0) return true;
      throw new Error(ran.stderr);
    })
    .catch((error: unknown) => String(error));
  guest.check("once there is space, the first administrator is made", added === true, added);
  await session(guest);
}
