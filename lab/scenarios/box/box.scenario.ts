import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type Boot, type TieredScenario, walk } from "../../machines/scenario.ts";
import { addUser, signIn } from "../people.ts";

const state = "/var/lib/steward";
const machineId = "/etc/machine-id";
/** The file by which boots tell each other something, outside of all that is reset. */
const note = "/root/former-machine-id";
/** A line for each shutdown that went the whole way: what it was, and the boot that it ended. */
const ends = "/root/ends";

/** The last unit of a shutdown writes its line, and leaves the scenario the time to read it. */
const atEnd = (order: string): string =>
  `[Service]\nType=oneshot\nExecStart=/bin/sh -c 'echo "${order} $$SCENARIO_BOOT" >>${ends}; sleep 3'\n`;

/** The machine itself: its name and zone, its power, its reset, and the copy of its disk. */
export const scenario: TieredScenario = {
  title: "the box: it is renamed, restarted, reset, and its copied disk is a device of its own",
  tiers: { container: {} },
  timeoutSeconds: 300,
  keepsDisk: true,
  files: {
    // After a reboot nspawn would begin the same boot again: so it powers off, once the order has gone the whole way
    // down.
    "/etc/systemd/system/systemd-reboot.service.d/container.conf": `[Unit]\nSuccessAction=poweroff-force\n${atEnd("reboot")}`,
    "/etc/systemd/system/systemd-poweroff.service.d/container.conf": atEnd("power-off"),
  },
  boots: [
    { units: [], run: installed },
    ...[overApi("reboot"), overApi("power-off"), resetAndPowerOff, forImage, copies].map((run) => ({
      run: walk(run),
    })),
  ],
};

/** The lines of docs/install.md after `make install`. */
const settingUp = `systemd-sysusers; systemd-tmpfiles --create; systemctl daemon-reload
systemctl enable --now steward.service steward-guard.service steward-guard-boot.service steward-rescue.service`;

const owners = `root root 755 /usr/lib/steward/main.js
root root 644 /usr/lib/systemd/system/steward.service
root root 755 /etc/steward
steward steward 700 /var/lib/steward
steward steward 600 /var/lib/steward/users.json
root root 755 /var/lib/steward-releases
root root 700 /var/lib/steward-trust
steward steward 600 /run/steward/steward.sock
`;

async function installed(guest: Guest): Promise<void> {
  await guest.types(settingUp, { what: "what make install has put there is set up" });
  await guest.stewardAnswers();
  await addUser(guest, "anna");
  const session = await signIn(guest, "anna");
  const { body } = await guest.http("/api/health", { token: String(session.body.access_token) });
  const checks = body.checks as { name: string; status: string }[];
  const troubles = checks.filter(({ name, status }) => name !== "time" && status !== "ok");
  guest.check(
    "the first administrator signs in, and only the clock is in trouble",
    troubles.length === 0,
    body,
  );
  await guest.types(`stat -c '%U %G %a %n' ${owners.replaceAll(/^.* (?=\/)|\n/gm, " ")}`, { says: owners });
  await guest.types('[ -z "$(find /usr/lib/steward ! -user root)" ]');
  await namesAndReboot(guest);
}

async function oldestEvents(guest: Guest): Promise<{ seq: number; type: string }[]> {
  return (await guest.api("/api/events?after=0")).items;
}

const isNamed = (host: string, zone: string): boolean =>
  readFileSync("/proc/sys/kernel/hostname", "utf8").trim() === host &&
  readlinkSync("/etc/localtime").endsWith(zone);

async function namesAndReboot(guest: Guest): Promise<void> {
  await guest.types("steward system host-name pump-7; steward system time-zone Europe/Berlin");
  guest.check("name and zone are the machine's", isNamed("pump-7", "/Europe/Berlin"));
  const { host } = await guest.api("/api/status");
  guest.check("and the agent, in a UTS namespace of its own, goes by it", host.hostname === "pump-7", host);
  await guest.types("steward system time-zone Europe/Bonn", { status: 6, says: '"Europe/Bonn"' });
  await guest.types("setpriv --reuid=65534 --clear-groups steward reboot --yes", { status: "fails" });
  await guest.types("steward reboot", { status: 2, says: "--yes" });
  await guest.types("steward reboot --yes");
  await goesDown(guest, "reboot");
}

/** The scenario ends each of its boots itself: before that, only the order takes the machine down. */
async function goesDown(guest: Guest, order: "reboot" | "power-off"): Promise<void> {
  const isDown = await guest.until("the machine goes down", 60, () =>
    readFileSync(ends, "utf8").endsWith(`${order} ${guest.boot}\n`),
  );
  guest.check(`by which the machine goes the whole way down (${order})`, isDown);
}

/** An administrator changes name and zone in the console, and orders the machine, each with the password just given. */
function overApi(order: "reboot" | "power-off"): Boot["run"] {
  const [host_name, time_zone] = order === "reboot" ? ["pump-8", "Asia/Tokyo"] : ["pump-7", "Europe/Berlin"];
  return async (guest) => {
    await guest.types('[ -z "$(systemctl --failed --no-legend --no-pager)" ]', {
      what: "no unit has failed",
    });
    const token = String((await signIn(guest, "anna")).body.access_token);
    const body = { host_name, time_zone };
    const changed = await guest.http("/api/system/host", { method: "PUT", token, body });
    const isSo = changed.status === 200 && isNamed(host_name, time_zone);
    guest.check("PUT /api/system/host changes name and zone of the machine", isSo, changed.body);
    await supportBundle(guest, token, host_name);
    const ordered = await guest.http(`/api/system/${order}`, { token, body: {} });
    guest.check(`POST /api/system/${order} is answered`, ordered.status === 202, ordered.body);
    await goesDown(guest, order);
  };
}

/** Doctor makes it as a child of the agent: confined as the unit is, and in its UTS namespace, which has the former name. */
async function supportBundle(guest: Guest, token: string, hostName: string): Promise<void> {
  const url = "http://127.0.0.1:8470/api/system/support-bundle";
  const line = `curl -sSf -X POST -H 'Authorization: Bearer ${token}' ${url} | tar -xzO`;
  const said = await guest.types(line, { what: "the agent makes a support bundle within its unit" });
  const [first = ""] = said.split("steward doctor, version ").slice(1);
  const isWhole = /each part works/.test(first) && /Each of the \d+ documents can be read/.test(first);
  guest.check(
    "and takes nothing for broken that the unit keeps from it",
    isWhole && !/^FAILING/m.test(first),
  );
  const isNamed = new RegExp(`(?<![\\w-])${hostName}(?![\\w-])`).test(said);
  guest.check("nor does it name the host, which has been renamed", !isNamed, said);
}

async function resetAndPowerOff(guest: Guest): Promise<void> {
  const types = (await oldestEvents(guest)).map(({ type }) => type);
  const recorded = ["host.changed", "host.reboot_requested"].every((type) => types.includes(type));
  guest.check("the restart and the changes are events", recorded, types);
  guest.check("name and zone are kept", isNamed("pump-7", "/Europe/Berlin"));
  await guest.types("steward factory-reset --yes");
  await guest.stewardAnswers();
  const first = (await oldestEvents(guest))[0];
  const isNew = first?.seq === 1 && first.type === "host.reset";
  guest.check("the device begins a new record", isNew, first);
  await guest.types("steward user list | grep -c anna", { status: 1, what: "without accounts" });
  const verified = await guest.steward("events", "--verify", "--against-journal");
  const isWhole = verified.status === 0 || /has no head/.test(verified.stderr);
  guest.check("which the journal does not contradict", isWhole, verified);
  await addUser(guest, "anna");
  await guest.types("steward power-off --yes");
  await goesDown(guest, "power-off");
}

const auditJournals = "ls -d /var/log/journal/*.steward /run/log/journal/*.steward 2>/dev/null";

async function forImage(guest: Guest): Promise<void> {
  await guest.types("steward user list", { says: "anna", what: "what was set up after the reset is kept" });
  writeFileSync(note, String((await guest.api("/api/version")).device_id));
  const asAgent = "setpriv --reuid=steward --regid=steward --clear-groups";
  await guest.types(`${asAgent} steward factory-reset --image --yes`, { status: 4 });
  await guest.types(`${auditJournals} | grep .`, { what: "there are audit lines" });
  await guest.types("steward factory-reset --image --yes");
  guest.check("nothing of the state is left", readdirSync(state).join() === ".lock", readdirSync(state));
  await guest.types(`! ${auditJournals} | grep .`, { what: "nor of the audit lines" });
  guest.check("nor the machine-id", readFileSync(machineId, "utf8") === "");
  await guest.types("systemctl list-jobs --no-legend --no-pager", { says: /poweroff\.target\s+start/ });
}

/** The disk after the image was made; and then a state that another machine has made. */
async function copies(guest: Guest): Promise<void> {
  const { device_id } = await guest.api("/api/version");
  guest.check("a machine from the image is another device", device_id !== readFileSync(note, "utf8"));
  await guest.types("steward user list | grep -c anna", { status: 1, what: "at its first run" });
  await addUser(guest, "anna");
  const key = readFileSync(`${state}/.seal.key`, "hex");
  await guest.types(`systemctl stop steward; echo ${"0123456789abcdef".repeat(2)} >${machineId}`);
  await guest.restarts();
  const first = (await oldestEvents(guest))[0];
  guest.check("a state of another machine is told as a copy", first?.type === "host.identity_changed", first);
  await guest.types("steward user list", { says: "anna", what: "its accounts stay" });
  guest.check("and it has a key of its own", readFileSync(`${state}/.seal.key`, "hex") !== key);
}
