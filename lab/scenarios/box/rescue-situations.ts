import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import { addUser, enrolled, password, signIn } from "../people.ts";
import { appliedUntil, appliedWhole } from "../updates/power-cuts.ts";
import { linked, outcomeOf, productSays, releaseJournal, trusting } from "../updates/update-scenario.ts";

/** The situations of steward-rescue(7) that need no clock of the machine's own: brought about, and mended by its lines. */

export const state = "/var/lib/steward";

/** The lines of the page as it is installed, by the beginning of a section's title. */
function linesOf(title: string): string[] {
  // Removes the marks that scripts/roff.ts puts in for roff.
  const page = readFileSync("/usr/share/man/man7/steward-rescue.7", "utf8")
    .replaceAll("\\-", "-")
    .replaceAll("\\(dq", '"')
    .replaceAll("\\e", "\\");
  const section = page.split(/^\.SH /m).find((one) => one.startsWith(`"${title.toUpperCase()}`)) ?? "";
  const block = /^\.nf\n([\s\S]*?)\n\.fi$/m.exec(section)?.[1];
  if (block === undefined) throw new Error(`the page has no lines for "${title}"`);
  return block.split("\n");
}

/** Types the lines of a situation, at most three, or the first `count` of them, and returns what each has said. */
export async function typed(
  guest: Guest,
  title: string,
  words: Readonly<Record<string, string>> = {},
  count = 3,
): Promise<Ran[]> {
  const lines = linesOf(title);
  guest.check(`${title}: at most three lines`, lines.length >= 1 && lines.length <= 3, lines);
  const said: Ran[] = [];
  for (const line of lines.slice(0, count)) {
    const filled = Object.entries(words).reduce((text, [word, value]) => text.replace(word, value), line);
    const ran = await guest.run("sh", ["-c", filled], { timeoutSeconds: 300 });
    // The doctor has found something, which is why it was asked.
    const isDone = ran.status === 0 || (filled === "steward doctor" && ran.status === 10);
    guest.check(`${title}: ${filled}`, isDone, ran);
    said.push(ran);
  }
  return said;
}

/** It starts a dozen programs, one after the other: under emulation beside other work that takes minutes. */
const doctor = (guest: Guest) => guest.run("/usr/bin/steward", ["doctor"], { timeoutSeconds: 300 });

/** The last line of steward doctor: the next one to type. */
export async function next(guest: Guest): Promise<string> {
  const { stdout } = await doctor(guest);
  return stdout.trimEnd().split("\n").at(-1) ?? "";
}

/** The doctor, asked whether it names this line for this device. */
export async function doctorNames(guest: Guest, what: string, line: string | RegExp): Promise<void> {
  const ran = await doctor(guest);
  const isNamed = ran.stdout
    .split("\n")
    .some((one) => (typeof line === "string" ? one.trim() === `> ${line}` : line.test(one)));
  guest.check(`steward doctor names it: ${what}`, isNamed, ran);
}

export async function added(guest: Guest, name: string, role = "readonly"): Promise<void> {
  const ran = await addUser(guest, name, role);
  guest.check(`${name} is added`, ran.status === 0, ran);
}

const health = async (guest: Guest): Promise<string> => (await guest.http("/api/health")).body.status;

/** Signs in, and checks that it comes to this. */
async function signsIn(guest: Guest, what: string, name: string, given: object, code?: string) {
  const { status, body } = await signIn(guest, name, given);
  guest.check(what, code === undefined ? status === 200 : body.code === code, body);
  return body;
}

/** The one-use password that the last line has printed. */
const oneUseOf = (said: readonly Ran[]): object => ({
  password: said.at(-1)?.stdout.trim().split("\n").at(-1) ?? "",
});

/** Before there is an administrator: the token is printed, made again, and makes one. */
export async function lostSetupToken(guest: Guest): Promise<void> {
  const [first, second] = await typed(guest, "The setup token is lost");
  const token = second?.stdout.trim() ?? "";
  guest.check("the second line makes another token", token !== first?.stdout.trim(), second);
  const made = await guest.http("/api/setup", {
    body: { setup_token: token, username: "root-admin", password },
  });
  guest.check("which makes the administrator", made.status === 201, made.body);
}

export async function lostPhone(guest: Guest): Promise<void> {
  await added(guest, "lost-phone");
  await enrolled(guest, "lost-phone");
  await signsIn(guest, "the password alone does not do", "lost-phone", {}, "totp_required");
  await typed(guest, "A phone is lost", { NAME: "lost-phone" });
  await signsIn(guest, "after the line it does", "lost-phone", {});
}

export async function forgottenPassword(guest: Guest): Promise<void> {
  await added(guest, "forgetful");
  const said = await typed(guest, "A password is forgotten", { NAME: "forgetful" });
  const { user } = await signsIn(guest, "the one-use password signs in", "forgetful", oneUseOf(said));
  guest.check("and another one must be chosen", user?.must_change_password === true, user);
}

export async function lostSealingKey(guest: Guest): Promise<void> {
  await added(guest, "sealed-one");
  await enrolled(guest, "sealed-one");
  await guest.types(`systemctl stop steward; rm -f ${state}/.seal.key*; systemctl start steward`);
  await guest.stewardAnswers();
  // One of the users with a second factor after the other.
  await doctorNames(guest, "the lost sealing key", /^ *> steward user rescue (sealed|coded)-one$/);
  const said = await typed(guest, "The sealing key is lost", { NAME: "sealed-one" });
  await signsIn(guest, "the user signs in with the one-use password", "sealed-one", oneUseOf(said));
}

const damagedTitle = "Settings or users are damaged";

/** No copy of it is left, as with a disk that has lost blocks: the agent is in rescue, and the lines begin it again. */
async function begunAnew(guest: Guest, name: "users" | "settings", lines: () => Promise<Ran[]>) {
  await guest.types(
    `systemctl stop steward; for file in ${state}/${name}.*json; do head -c 512 /dev/zero >$file; done; systemctl start steward`,
  );
  await guest.stewardAnswers();
  guest.check(`without usable ${name} the agent is in rescue`, (await health(guest)) === "rescue");
  const line = await next(guest);
  guest.check(`the doctor's last line begins the ${name} anew`, line === `steward state reset ${name}`, line);
  const said = await lines();
  await guest.until("the agent is out of rescue", 60, async () => (await health(guest)) !== "rescue");
  await guest.types(`ls ${state}/${name}.bad-*`, { what: `of the ${name} the damaged file is kept` });
  return said;
}

/** The same with `settings` in the place of `users`; the third line is for users. */
export async function damagedSettings(guest: Guest): Promise<void> {
  await begunAnew(guest, "settings", () => typed(guest, damagedTitle, { users: "settings" }, 2));
}

export async function damagedUsers(guest: Guest): Promise<void> {
  const said = await begunAnew(guest, "users", () => typed(guest, damagedTitle, { NAME: "new-owner" }));
  await signsIn(guest, "a new administrator signs in", "new-owner", oneUseOf(said));
}

/** ntpdate in cron, for which the page has the line, and the tools of a virtual machine, for which the doctor has it. */
export async function secondSetter(guest: Guest): Promise<void> {
  const [path, unit] = ["/etc/cron.d/ntpdate", "virtualbox-guest-utils.service"];
  // A process and a unit under the names of VirtualBox's tools.
  await guest.types(`mkdir -p /etc/cron.d; echo '*/5 * * * * root /usr/sbin/ntpdate -s 192.0.2.1' >${path}
cp /usr/bin/sleep /usr/local/sbin/VBoxService; printf '[Service]\nExecStart=/usr/local/sbin/VBoxService 3600\n' >/etc/systemd/system/${unit}
systemctl daemon-reload; systemctl start ${unit}`);
  const [said] = await typed(guest, "Two programs set the clock");
  const named = (said?.stdout ?? "").split("\n").map((line) => line.trim());
  guest.check("the doctor names ntpdate in cron", named.includes(`> mv ${path} /root/ntpdate.off`), said);
  const line = `systemctl disable --now ${unit}`;
  guest.check("and the tools of a virtual machine", named.includes(`> ${line}`), said);
  await guest.types(line);
  await guest.stewardAnswers();
  const again = await doctor(guest);
  const isNamed = /ntpdate|VBoxService/.test(again.stdout);
  guest.check("afterwards the doctor names neither", !isNamed && !existsSync(path), again);
}

/** A release that never becomes healthy within an hour: its trial lasts. */
export const stuckVersion = "1.1.0";

/** The boot before: an update whose trial lasts, until the power is cut. */
export async function midUpdate(guest: Guest): Promise<void> {
  await trusting(guest);
  await appliedWhole(guest, "1.0.0");
  await appliedUntil(guest, { version: stuckVersion, place: "confirming" }, () => undefined);
}

/** The guard has gone on at the boot, or is started by the line; and the trial goes on. */
export async function cutInMidUpdate(guest: Guest): Promise<void> {
  await guest.types("systemctl stop steward-guard");
  await doctorNames(guest, "a trial that is not watched", "systemctl start steward-guard.service");
  const [, status] = await typed(guest, "The power was cut in mid-update");
  guest.check("the update goes on", /confirming|on trial/.test(status?.stdout ?? ""), status);
  const { boots } = releaseJournal().slots.binary.trial ?? { boots: 0 };
  // A container has the boot id of this computer.
  guest.check("in its second boot", boots === (existsSync("/run/systemd/container") ? 1 : 2), boots);
}

export async function stuckInConfirming(guest: Guest): Promise<void> {
  const id = releaseJournal().slots.binary.trial?.release.id ?? "";
  await typed(guest, "An update is stuck in confirming");
  const entry = await outcomeOf(guest, id, 120);
  guest.check("it was aborted", entry.outcome === "aborted", entry);
  const isBack = linked("binary", "current") !== id && (await productSays()) === "1.0.0";
  guest.check("the release before is back", isBack);
}

/** Booted with steward.rescue=1: the text above the login prompt lets an administrator in. */
export async function withoutShell(guest: Guest): Promise<void> {
  const issue = "/run/issue.d/steward-rescue.issue";
  const text = await guest.becomes(`cat ${issue}`, 90, { what: "the token is above the login prompt" });
  const token = /(?:[0-9a-z]{5}-){3}[0-9a-z]{5}/.exec(text)?.[0] ?? "";
  const chosen = { password: "seven quiet owls at dusk" };
  const body = { setup_token: token, username: "root-admin", ...chosen };
  const made = await guest.http("/api/setup", { body });
  guest.check("with the token an administrator gets another password", made.status === 201, made.body);
  await signsIn(guest, "and signs in", "root-admin", chosen);
  const spent = await guest.http("/api/setup", { body });
  guest.check("the token is spent", spent.body.code === "setup_already_done", spent.body);
  await guest.types("systemctl restart steward-rescue");
  await guest.becomes(`grep 'Setup token' ${issue} && ! grep ${token} ${issue}`, 60);
  await guest.types("systemctl stop steward-rescue");
  await guest.types(`! ls ${issue} && ! ls /run/steward/rescue-token`);
}

/** The same where the host file forbids it. */
export async function withoutShellForbidden(guest: Guest): Promise<void> {
  const file = "/etc/steward/steward.json";
  const before = readFileSync(file, "utf8");
  writeFileSync(file, JSON.stringify({ ...JSON.parse(before), kernel_rescue: false }));
  // Root may have written it with a umask of 077: it forbids all the same.
  await guest.types(`chmod 600 ${file}; systemctl restart steward-rescue`);
  await guest.becomes("systemctl show -P ActiveState,Result steward-rescue", 60, {
    says: ["inactive", "success"],
  });
  await guest.types("! ls /run/steward/rescue-token", {
    what: "no token is printed where that is forbidden",
  });
  writeFileSync(file, before);
  await guest.types(`chmod 644 ${file}`);
}
