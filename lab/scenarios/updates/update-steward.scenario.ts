import { readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { answersAs } from "../packages/life.ts";
import { addUser, password, signIn, typing } from "../people.ts";
import { stewardRelease } from "./steward-release.ts";
import * as updates from "./update-scenario.ts";

const agent = "http://127.0.0.1:8470";

/** The plan of Steward itself, with less patience. */
const plan = {
  unit: "steward.service",
  health: {
    http: [{ url: `${agent}/api/health/ready` }, { url: `${agent}/api/version`, version_member: "version" }],
    successes: 4,
    interval: "1s",
    within: "30s",
  },
};

/** Releases of Steward that write every document in another form: one that cannot check a password, and a good one. */
export const scenario: TieredScenario = {
  title:
    "Steward updates itself; a release that does not start, or has other forms of the state, locks no user out",
  tiers: { container: {} },
  timeoutSeconds: 900,
  ...updates.updateScenario("steward"),
  files: {
    ...updates.updateSettings(),
    "/etc/steward/steward.json": JSON.stringify({ update: { binary: plan } }),
  },
  asks: updates.publishing(
    stewardRelease("0.2.0"),
    stewardRelease("0.2.1", { fault: "exits" }),
    stewardRelease("0.3.0", { hasNextForms: true, fault: "no passwords" }),
    stewardRelease("0.4.0", { hasNextForms: true }),
  ),
  boots: [{ run: updating }],
};

/** The administrator's account: the authenticator's secret, an API token, and the step of the newest code, each of which is good once. */
interface Person {
  readonly phone: string;
  readonly token: string;
  step: number;
}

async function updating(guest: Guest): Promise<void> {
  await updates.trusting(guest);
  const person = await settledIn(guest);
  await updates.ends(guest, "binary", "0.2.0", "good");
  await nothingIsLost(guest, person, "after an update");
  await doesNotStart(guest, person);
  const undone = JSON.stringify(await updates.ends(guest, "binary", "0.3.0", "failed"));
  guest.check("a program that cannot check passwords is not ready", /503.*password/.test(undone), undone);
  await answersAs(guest, "0.2.0");
  await nothingIsLost(guest, person, "after a release with other forms was undone");
  await updates.ends(guest, "binary", "0.4.0", "good");
  await answersAs(guest, "0.4.0");
  await nothingIsLost(guest, person, "under the release with other forms");
  await guest.types("steward update rollback binary --yes", { timeoutSeconds: 120 });
  await answersAs(guest, "0.2.0");
  await nothingIsLost(guest, person, "after it was good and then rolled back");
}

/** The guard is not of the release that it watches, and keeps what that said at its end. */
async function doesNotStart(guest: Guest, person: Person): Promise<void> {
  const known = versions();
  const id = await updates.offered(guest, "binary", "0.2.1");
  await updates.applied(guest, "binary");
  await updates.confirming(guest, "0.2.1");
  const guard = await guest.property("MainPID", "steward-guard.service");
  const words = readFileSync(`/proc/${guard}/cmdline`, "utf8").replaceAll("\0", " ");
  guest.check("the guard is of the release before", words.includes("/previous/lib/steward/"), words);
  const entry = await updates.outcomeOf(guest, id, 400);
  const isFailed = entry.outcome === "failed" && entry.cause?.code === "unclean_exits";
  guest.check("a Steward that does not start has failed", isFailed && entry.restored_healthy === true, entry);
  const last = entry.log.join("\n");
  guest.check("what it said at its end is kept", last.includes("a fault of this release"), entry.log);
  await answersAs(guest, "0.2.0");
  guest.check("it is no longer current", updates.linked("binary", "current") !== id);
  const now = versions();
  const isBack = Object.entries(known).some(([name, was]) => (now[name] ?? 0) < was);
  guest.check("no version of metadata goes back, the agent's nor root's", !isBack, { known, now });
  await nothingIsLost(guest, person, "after a release that did not start");
}

/** The versions of the metadata that the agent trusts, and of those that the installer trusts. */
function versions(): Readonly<Record<string, number>> {
  const places = ["/var/lib/steward/updates/metadata", "/var/lib/steward-trust/metadata"];
  const paths = places.flatMap((place) =>
    ["root", "timestamp", "snapshot", "targets"].map((role) => `${place}/${role}.json`),
  );
  return Object.fromEntries(
    paths.map((path) => [path, JSON.parse(readFileSync(path, "utf8")).signed.version]),
  );
}

/** An administrator with two factors, an API token and a setting. */
async function settledIn(guest: Guest): Promise<Person> {
  await addUser(guest, "anna");
  await guest.steward("system", "set", "device.name=edge 7");
  const token = ["token", "add", "--user", "anna", "--name", "script", "--scope", "system:read"];
  const made = await guest.run("steward", ["-o", "json", ...token, "--password-stdin"], typing(password));
  const begin = ["-o", "json", "user", "2fa", "setup", "anna", "--begin", "--password-stdin"];
  const setup = await guest.run("steward", begin, typing(password));
  const { secret } = JSON.parse(setup.stdout) as { secret: string };
  const person: Person = { phone: secret, token: JSON.parse(made.stdout).token, step: 0 };
  const enable = ["user", "2fa", "enable", "anna", "--password-stdin"];
  const enabled = await guest.run("steward", enable, typing(password, await code(guest, person)));
  guest.check("the administrator has a second factor", enabled.status === 0, enabled);
  return person;
}

/** A code that was not used yet, of this step or the next, which is good as well. */
async function code(guest: Guest, person: Person): Promise<string> {
  const present = () => Math.floor(Date.now() / 30_000);
  await guest.until("there is a fresh code", 60, () => person.step < present() + 1);
  person.step = Math.max(person.step + 1, present());
  const at = `@${person.step * 30}`;
  return (await guest.run("oathtool", ["--totp", "--base32", "--now", at, person.phone])).stdout.trim();
}

async function nothingIsLost(guest: Guest, person: Person, when: string): Promise<void> {
  await guest.stewardAnswers();
  const given = { code: await code(guest, person) };
  const session = await signIn(guest, "anna", given);
  guest.check(`${when} the administrator signs in with both factors`, session.status === 200, session.body);
  const used = await signIn(guest, "anna", given);
  guest.check("a used code stays used", used.status === 401, used.body);
  const system = await guest.http("/api/system", { token: person.token });
  guest.check("the API token is good", system.status === 200, system.body);
  guest.check("the settings are there", JSON.stringify(system.body).includes("edge 7"), system.body);
}
