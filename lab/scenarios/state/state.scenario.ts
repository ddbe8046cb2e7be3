import { readdirSync, rmSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser, enrolled } from "../people.ts";

const directory = "/var/lib/steward";

/** Health reports loss or damage from while the agent was down until a person has accepted it. */
export const scenario: TieredScenario = {
  title: "what was lost of the state is said at each start, until it is accepted or mended",
  tiers: { container: {} },
  timeoutSeconds: 180,
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await settledIn(guest);
        await lostCodes(guest);
        await lostSettings(guest);
        await lostKey(guest);
      },
    },
  ],
};

/** Two administrators, one of them with a second factor, and a setting. */
async function settledIn(guest: Guest): Promise<void> {
  for (const name of ["anna", "root-admin"]) await addUser(guest, name);
  await guest.steward("system", "set", "security.require_2fa=admins", "device.name=edge 7");
  await enrolled(guest, "anna");
}

/** Does something to the state while the agent is down. */
async function whileDown(guest: Guest, act: () => void): Promise<void> {
  await guest.run("systemctl", ["stop", "steward.service"]);
  act();
  await restarted(guest);
}

async function restarted(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["restart", "steward.service"]);
  await guest.stewardAnswers();
}

/** The faults in the health that local root sees. */
async function troubles(guest: Guest): Promise<{ name: string; detail?: string }[]> {
  const health = await guest.api("/api/health");
  const checks = health.checks as { name: string; status: string; detail?: string }[];
  return checks.filter(({ name, status }) => status !== "ok" && name !== "clock");
}

/** Removes a document and its good copy while the agent is down. */
function lose(guest: Guest, document: string): Promise<void> {
  return whileDown(guest, () => {
    rmSync(`${directory}/${document}.json`);
    rmSync(`${directory}/${document}.good.json`, { force: true });
  });
}

/** Used codes may be lost and begun again, and the agent says so until a person says that they have read it. */
async function lostCodes(guest: Guest): Promise<void> {
  await lose(guest, "used-codes");
  const isNamed = async () => (await troubles(guest)).some(({ name }) => name === "used-codes");
  const first = await troubles(guest);
  guest.check("used codes that are gone beside other state are damage", await isNamed(), first);
  await restarted(guest);
  guest.check("which health still says after the next start", await isNamed(), await troubles(guest));
  const events = await guest.steward("events", "--limit", "50");
  guest.check("and which is an event", /used-codes/.test(events.stdout), events.stdout);
  const accepted = await guest.steward("state", "accept", "used-codes", "--yes");
  guest.check("until steward state accept used-codes", accepted.status === 0 && !(await isNamed()), accepted);
  await restarted(guest);
  guest.check("for all starts to come", !(await isNamed()), await troubles(guest));
}

/** Settings may not: without them the device would no longer ask for a second factor. */
async function lostSettings(guest: Guest): Promise<void> {
  await lose(guest, "settings");
  const { body } = await guest.http("/api/health");
  guest.check("without settings the agent waits in rescue", body.status === "rescue", body);
  const [rescue] = await troubles(guest);
  const typed = /`(steward state restore settings --at \d+)`/.exec(rescue?.detail ?? "")?.[1];
  guest.check("and says what to type", typed !== undefined, rescue);
  const restored = await guest.run("sh", ["-c", `${typed} --yes`]);
  guest.check("which takes the newest version that was kept", restored.status === 0, restored);
  await guest.until("it goes on", 60, async () => (await guest.http("/api/health")).body.status !== "rescue");
  const settings = await guest.steward("-o", "json", "system", "get");
  const isWhole = /"require_2fa": "admins"/.test(settings.stdout) && settings.stdout.includes("edge 7");
  guest.check("which has what was set", isWhole, settings);
}

async function lostKey(guest: Guest): Promise<void> {
  const keys = readdirSync(directory).filter((name) => /key/.test(name) && /seal/.test(name));
  guest.check("the agent has a sealing key of its own", keys.length > 0, readdirSync(directory));
  await whileDown(guest, () => {
    for (const name of keys) rmSync(`${directory}/${name}`);
  });
  const found = (await troubles(guest)).map(({ name, detail }) => `${name}: ${detail}`).join(" | ");
  guest.check(
    "a lost sealing key degrades health, with the number of users",
    /\b(1|one) user/i.test(found),
    found,
  );
  guest.note(found);
  const said = await guest.steward("user", "diagnose", "anna");
  const [line = ""] = said.stdout.trim().split("\n");
  guest.check("it is the first line of steward user diagnose", /key/i.test(line), said);
  guest.note(line);
}
