import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { password } from "../people.ts";
import { ask, entered, lan, opens, pump, script, signsIn } from "./browser.ts";
import { asksForRole } from "./recipe.ts";
import { isOf, type Visit } from "./visit.ts";

const asksWith = (cookie: string) => ask(`${pump}/`, { headers: { ...script, cookie } });

/** API tokens. */
export async function followsPrograms(guest: Guest, { server, username, gate }: Visit): Promise<void> {
  const tokenWith = async (...words: readonly string[]): Promise<string> => {
    const { stdout } = await guest.steward("token", "add", "--user", username, "--quiet", ...words);
    return stdout.trim();
  };
  const asksBy = (token: string, headers = {}) =>
    ask(`${pump}/valves`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: "3",
    });
  const use = ["--scope", "product:use"];
  const program = await asksBy(await tokenWith("--name", "meter", ...use));
  const { arrived } = program;
  const said = ["steward-gate", "steward-user", "steward-kind", "steward-session", "authorization"].map(
    (name) => arrived?.values(name),
  );
  const isNamed = said.join() === [gate, username, "token", "", ""].join();
  guest.check(`${server}: a program's token counts, and is not passed on`, isNamed, [said, program.status]);
  const other = await asksBy(await tokenWith("--name", "charts", "--scope", "metrics:read"));
  guest.check("one without the scope gets 401", other.status === 401 && other.arrived === undefined, other);
  const near = await asksBy(await tokenWith("--name", "near", ...use, "--from", `${lan}/32`));
  guest.check("one for an address counts from there", near.status === 200, near);
  const far = await tokenWith("--name", "far", ...use, "--from", "203.0.113.0/24");
  const forged = await asksBy(far, { "x-forwarded-for": "203.0.113.9" });
  guest.check("and from nowhere else, whatever the client says", forged.status === 401, forged);
}

/** Session, user and role count at the next request. */
export async function followsAccounts(guest: Guest, { cookie: ofOperator }: Visit): Promise<void> {
  for (const [username, ends] of [
    ["linus", "user sessions revoke --yes"],
    ["barbara", "user disable"],
  ] as const) {
    await guest.api("/api/users", { username, role: "readonly", password });
    const [cookie] = await entered(guest, await signsIn(guest, username));
    const before = await asksWith(cookie);
    guest.check(`${username} is in`, before.status === 200, before);
    const open = await rechecked(guest, cookie);
    guest.check("a connection that is open may stay", open === "204", open);
    await guest.types(`steward ${ends} ${username}`);
    const after = await asksWith(cookie);
    guest.check(`then ${username} gets 401`, after.status === 401 && after.arrived === undefined, after);
    const ended = await rechecked(guest, cookie);
    guest.check("a connection that is open has to end", ended === "401", ended);
  }
  const forgotten = await ask(`${pump}/forgotten`, { headers: { ...script, cookie: ofOperator } });
  const isClosed = forgotten.status === 403 && forgotten.text === "not through Steward";
  guest.check("a place whose headers were forgotten fails closed", isClosed, forgotten);
  const inside = await ask(`${pump}/.steward/check`, { headers: { ...opens, cookie: ofOperator } });
  guest.check("the question of nginx is not for browsers", inside.status === 404, inside);
  await asksForRole(guest, "admin");
  const low = await asksWith(ofOperator);
  guest.check("a role that is too low gets 403", low.status === 403 && low.arrived === undefined, low);
  await asksForRole(guest, "readonly");
}

/** The product asks again about a WebSocket, with the headers of its request. */
async function rechecked(guest: Guest, cookie: string): Promise<string> {
  const headers = [`Cookie: ${cookie}`, `Origin: ${pump}`, "X-Original-Method: GET"];
  const words = ["--silent", "--output", "/dev/null", "--write-out", "%{http_code}"];
  const address = "http://127.0.0.1:8470/api/product/pages/pump/check";
  return (await guest.run("curl", [...words, ...headers.flatMap((one) => ["--header", one]), address]))
    .stdout;
}

/** The agent starts again, with a wrong clock too, and is gone. */
export async function outlivesAgent(guest: Guest, visit: Visit, faketime: string): Promise<void> {
  const { server, cookie } = visit;
  await guest.restarts();
  const restarted = await asksWith(cookie);
  guest.check(`${server}: the cookie outlives the agent`, isOf(visit, restarted), restarted);
  for (const offset of ["-400d", "+400d"]) {
    await movesClock(guest, faketime, offset);
    const { headers } = await guest.http("/api/health");
    const years = (Date.parse(String(headers.get("date"))) - Date.now()) / (400 * 86_400_000);
    guest.check(
      `the agent's clock is ${offset} wrong`,
      Math.round(years) === Number.parseInt(`${offset[0]}1`, 10),
      years,
    );
    const wrong = await asksWith(cookie);
    guest.check(`${server}: the cookie is good by a wrong clock`, isOf(visit, wrong), wrong);
  }
  await movesClock(guest, faketime);
  await guest.types("systemctl stop steward.service");
  const expected = server === "nginx" ? 500 : 502;
  for (const headers of [{ ...opens, cookie }, { ...script, cookie }, opens]) {
    const gone = await ask(`${pump}/`, { headers });
    guest.check(
      `${server}: without the agent there is ${expected}`,
      gone.status === expected && !gone.arrived,
      gone,
    );
  }
  await guest.types("systemctl start steward.service");
  const back = await asksWith(cookie);
  guest.check(`${server}: and once it is back, the page`, isOf(visit, back), back);
}

/** Starts the agent with its wall clock moved by so much, or right again. Nothing here may set the machine's. */
async function movesClock(guest: Guest, faketime: string, offset?: string): Promise<void> {
  const directory = "/run/systemd/system/steward.service.d";
  mkdirSync(directory, { recursive: true });
  const environment = `LD_PRELOAD=${faketime}/libfaketime.so.1 FAKETIME_DONT_FAKE_MONOTONIC=1 FAKETIME=${offset}`;
  const dropIn = `[Service]\nUnsetEnvironment=\nEnvironment=${environment}\n`;
  if (offset === undefined) rmSync(`${directory}/clock.conf`);
  else writeFileSync(`${directory}/clock.conf`, dropIn);
  await guest.run("systemctl", ["daemon-reload"]);
  await guest.restarts();
}
