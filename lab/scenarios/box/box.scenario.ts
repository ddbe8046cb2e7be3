import { existsSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { Boot, TieredScenario } from "../../machines/scenario.ts";
import { addUser, signIn } from "../people.ts";

const state = "/var/lib/steward";
const machineId = "/etc/machine-id";
/** The file by which boots tell each other something, outside of all that is reset. */
const note = "/root/former-machine-id";
/** A line for each shutdown that went the whole way: what it was, and the boot that it ended. */
const ends = "/root/ends";

/** The last unit of a shutdown writes its line, and leaves the scenario the time to read it. */
const atEnd = (order: string): string => `[Service]
Type=oneshot
ExecStart=/bin/sh -c 'echo "${order} $$SCENARIO_BOOT" >>${ends}; sleep 3'
`;

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
    "/etc/steward/steward.json": '{ "support_until": "2026-01-31" }\n',
  },
  boots: [
    { run: namesAndReboot },
    { run: overApi("reboot") },
    { run: overApi("power-off") },
    { run: resetAndPowerOff },
    { run: forImage },
    { run: copies },
  ],
};

const json = async <T>(guest: Guest, ...words: readonly string[]): Promise<T> => {
  const { status, stdout, stderr } = await guest.steward("-o", "json", ...words);
  if (status !== 0) throw new Error(`steward ${words.join(" ")}: ${stderr}`);
  return JSON.parse(stdout) as T;
};

interface Events {
  readonly items: readonly { readonly seq: number; readonly type: string; readonly details: object }[];
}

const oldestEvents = async (guest: Guest) => (await json<Events>(guest, "events", "--after", "0")).items;
const users = async (guest: Guest) => {
  const { items } = await json<{ items: { username: string }[] }>(guest, "user", "list");
  return items.map(({ username }) => username);
};

async function addAdministrator(guest: Guest): Promise<void> {
  const ran = await addUser(guest, "anna");
  if (ran.status !== 0) throw new Error(ran.stderr);
}

async function namesAndReboot(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  await addAdministrator(guest);
  const named = await guest.steward("system", "host-name", "pump-7");
  const kernel = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
  guest.check("steward system host-name changes the name of the machine", kernel === "pump-7", named);
  const { host } = await statusOf(guest);
  guest.check("and the agent, in a UTS namespace of its own, goes by it", host.hostname === "pump-7", host);
  const zone = await guest.steward("system", "time-zone", "Europe/Berlin");
  const link = readlinkSync("/etc/localtime");
  guest.check("steward system time-zone changes the zone", link.endsWith("/Europe/Berlin"), [zone, link]);
  const unknown = await guest.steward("system", "time-zone", "Europe/Bonn");
  const isNamed = unknown.status === 6 && unknown.stderr.includes('"Europe/Bonn"');
  guest.check("a zone that is not there is named, and nothing changes", isNamed, unknown);
  const byUser = await guest.run("setpriv", [
    "--reuid=65534",
    "--clear-groups",
    "steward",
    "reboot",
    "--yes",
  ]);
  guest.check("another user restarts nothing", byUser.status !== 0, byUser);
  const asked = await guest.steward("reboot");
  guest.check("steward reboot asks first", asked.status === 2 && asked.stderr.includes("--yes"), asked);
  const ordered = await guest.steward("reboot", "--yes");
  guest.check("steward reboot --yes is carried out", ordered.status === 0, ordered);
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
  return async (guest) => {
    await guest.stewardAnswers();
    const login = await signIn(guest, "anna");
    const token = String(login.body.access_token);
    const change = order === "reboot" ? hostOfReboot : { host_name: "pump-7", time_zone: "Europe/Berlin" };
    const changed = await guest.http("/api/system/host", { method: "PUT", token, body: change });
    const kernel = readFileSync("/proc/sys/kernel/hostname", "utf8").trim();
    const isSo = kernel === change.host_name && readlinkSync("/etc/localtime").endsWith(change.time_zone);
    guest.check("PUT /api/system/host changes name and zone of the machine", changed.status === 200 && isSo, [
      changed.body,
      kernel,
    ]);
    await supportBundle(guest, token, change.host_name);
    await refusals(guest, order);
    const ordered = await guest.http(`/api/system/${order}`, { token, body: {} });
    guest.check(`POST /api/system/${order} is answered`, ordered.status === 202, ordered.body);
    await goesDown(guest, order);
  };
}

/** Doctor makes it as a child of the agent: confined as the unit is, and in its UTS namespace, which has the former name. */
async function supportBundle(guest: Guest, token: string, hostName: string): Promise<void> {
  const request = ["--silent", "--show-error", "--fail", "--request", "POST"];
  const words = [...request, "--header", `Authorization: Bearer ${token}`, "--output", "/root/bundle.tar.gz"];
  const url = "http://127.0.0.1:8470/api/system/support-bundle";
  const made = await guest.run("curl", [...words, url]);
  const { stdout } = await guest.run("tar", ["-xzOf", "/root/bundle.tar.gz"]);
  const [first = ""] = stdout.split("steward doctor, version ").slice(1);
  const isWhole = /each part works/.test(first) && /Each of the \d+ documents can be read/.test(first);
  guest.check("the agent makes a support bundle within its unit", isWhole, [made, stdout]);
  guest.check("and takes nothing for broken that the unit keeps from it", !/^FAILING/m.test(first), first);
  const isNamed = new RegExp(`(?<![\\w-])${hostName}(?![\\w-])`).test(stdout);
  guest.check("nor does it name the host, which has been renamed", !isNamed, stdout);
}

const hostOfReboot = { host_name: "pump-8", time_zone: "Asia/Tokyo" };

/** The machine is for administrators, who have given their password: a reader may not order it. */
async function refusals(guest: Guest, order: string): Promise<void> {
  await addUser(guest, "reader", "readonly");
  const login = await signIn(guest, "reader");
  const byReader = await guest.http(`/api/system/${order}`, {
    token: String(login.body.access_token),
    body: {},
  });
  guest.check("a reader is refused", byReader.status === 403, byReader.body);
  const without = await guest.http(`/api/system/${order}`, { body: {} });
  guest.check("and so is a request without a session", without.status === 401, without.body);
}

/** `steward status` exits with 10 where something needs attention. */
async function statusOf(guest: Guest): Promise<{ host: { hostname: string } }> {
  return JSON.parse((await guest.steward("-o", "json", "status")).stdout);
}

async function resetAndPowerOff(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const types = (await oldestEvents(guest)).map(({ type }) => type);
  const recorded = ["host.changed", "host.reboot_requested"].every((type) => types.includes(type));
  guest.check("the restart and the changes are events", recorded, types);
  const kept = [readFileSync("/etc/hostname", "utf8").trim(), readlinkSync("/etc/localtime")];
  guest.check(
    "name and zone are kept",
    kept[0] === "pump-7" && kept[1]?.endsWith("/Europe/Berlin") === true,
    kept,
  );
  const { support_until } = await json<{ support_until: string }>(guest, "version");
  guest.check("the end of support is shown", support_until === "2026-01-31", support_until);
  const reset = await guest.steward("factory-reset", "--yes");
  guest.check("steward factory-reset --yes is carried out", reset.status === 0, reset);
  await guest.stewardAnswers();
  const first = (await oldestEvents(guest))[0];
  const isNew = first?.seq === 1 && first.type === "host.reset" && (await users(guest)).length === 0;
  guest.check("the device is at its first run, with a new record", isNew, first);
  const verified = await guest.steward("events", "--verify", "--against-journal");
  const isWhole = verified.status === 0 || /has no head/.test(verified.stderr);
  guest.check("which the journal does not contradict", isWhole, verified);
  await addAdministrator(guest);
  const off = await guest.steward("power-off", "--yes");
  guest.check("steward power-off --yes is carried out", off.status === 0, off);
  await goesDown(guest, "power-off");
}

async function forImage(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  guest.check("what was set up after the reset is kept", (await users(guest)).includes("anna"));
  const { device_id } = await json<{ device_id: string }>(guest, "version");
  writeFileSync(note, device_id);
  const words = ["--reuid=steward", "--regid=steward", "--clear-groups"];
  const refused = await guest.run("setpriv", [...words, "steward", "factory-reset", "--image", "--yes"]);
  guest.check("an image is root's to prepare", refused.status === 4, refused);
  const audits = auditJournals();
  guest.check("there are audit lines", audits.length > 0, readdirSync("/var/log"));
  const prepared = await guest.steward("factory-reset", "--image", "--yes");
  guest.check("steward factory-reset --image --yes is carried out", prepared.status === 0, prepared);
  const left = readdirSync(state);
  guest.check("nothing of the state is left", left.join() === ".lock", left);
  guest.check("nor of the audit lines", auditJournals().length === 0, auditJournals());
  guest.check("nor the machine-id", readFileSync(machineId, "utf8") === "");
  const { stdout } = await guest.run("systemctl", ["list-jobs", "--no-legend", "--no-pager"]);
  guest.check("the machine switches off", /poweroff\.target\s+start/.test(stdout), stdout);
}

/** Directories of the journal namespace of audit lines. */
function auditJournals(): string[] {
  return ["/var/log/journal", "/run/log/journal"]
    .filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory))
    .filter((name) => name.endsWith(".steward"));
}

/** The disk after the image was made; and then a state that another machine has made. */
async function copies(guest: Guest): Promise<void> {
  await guest.stewardAnswers();
  const { device_id } = await json<{ device_id: string }>(guest, "version");
  const former = readFileSync(note, "utf8");
  guest.check("a machine from the image is another device", device_id !== former, [device_id, former]);
  guest.check("at its first run", (await users(guest)).length === 0);
  await addAdministrator(guest);
  await guest.run("systemctl", ["stop", "steward.service"]);
  const key = readFileSync(`${state}/.seal.key`, "hex");
  writeFileSync(machineId, `${"0123456789abcdef".repeat(2)}\n`);
  await guest.run("systemctl", ["start", "steward.service"]);
  await guest.stewardAnswers();
  const first = (await oldestEvents(guest))[0];
  guest.check("a state of another machine is told as a copy", first?.type === "host.identity_changed", first);
  guest.check("its accounts stay", (await users(guest)).includes("anna"));
  guest.check("and it has a key of its own", readFileSync(`${state}/.seal.key`, "hex") !== key);
}
