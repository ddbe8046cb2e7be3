import { readFileSync } from "node:fs";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { enrolled, password } from "../people.ts";
import { pump, steward } from "./browser.ts";
import type { Person, Sent, steps } from "./chromium.ts";
import { arrivedIn } from "./pump.ts";
import { asksForRole } from "./recipe.ts";

type Steps = typeof steps;

/** Has the person take a step, and returns what they see. */
const takes = async <Name extends keyof Steps>(
  guest: Guest,
  name: Name,
  value?: Parameters<Steps[Name]>[0],
): Promise<Awaited<ReturnType<Steps[Name]>>> =>
  (await guest.ask(name, value)) as Awaited<ReturnType<Steps[Name]>>;

/** A person with Chromium, from the first visit until root ends it by this command. */
export async function walks(guest: Guest, username: string, server: string, end: string): Promise<void> {
  await guest.api("/api/users", { username, role: "operator", password });
  const secret = await enrolled(guest, username);
  await comes(guest, { username, secret }, server);
  await uses(guest, { username, secret });
  await meetsOthers(guest, server);
  if (server === "nginx") await mayNoLonger(guest);
  await takes(guest, "comes back");
  await guest.types(`steward ${end} ${username}`);
  const last = await takes(guest, "clicks");
  const isLed = last.url === `${steward}/product/pump?to=/status?again` && last.status === 200;
  guest.check(`Chromium, ${server}: the next click leads to the sign-in`, isLed, last);
  const code = await takes(guest, "is asked to sign in", username);
  const [what, expected] = end.includes("disable")
    ? ["refuses their password", "invalid_credentials"]
    : ["asks for a code again", "totp_required"];
  guest.check(`which ${what}`, code === expected, code);
  await takes(guest, "goes away");
}

/** A person whose sessions root ends while the page is open before them. */
export async function losesSession(guest: Guest, username: string, server: string): Promise<void> {
  await guest.api("/api/users", { username, role: "operator", password });
  await comes(guest, { username, secret: await enrolled(guest, username) }, server);
  await guest.types(`steward user sessions revoke --yes ${username}`);
  const begun = performance.now();
  await takes(guest, "loses the WebSocket");
  guest.figure("the WebSocket of an ended session ends after", (performance.now() - begun) / 1_000, "s");
  await takes(guest, "goes away");
}

async function comes(guest: Guest, person: Person, server: string): Promise<void> {
  const paths = ["/etc/ssl/certs/steward.pem", "/var/lib/steward/tls/certificate.pem"];
  const certificates = paths.map((path) => readFileSync(path, "utf8"));
  const [path, shown] = ["/status?a=1&b=%20x", `Pump of ${person.username}, operator`];
  const led = await takes(guest, "a person comes", certificates);
  const isLed = led === `${steward}/product/pump?to=${path}`;
  guest.check(`Chromium, ${server}: a person is led to the sign-in`, isLed, led);
  const url = await takes(guest, "signs in", person);
  guest.check("with password and code they are back where they were", url === pump + path, url);
  const seen = await takes(guest, "reads the page");
  const isWhole = seen.join() === [shown, "valve 3", "the only event"].join();
  guest.check("the page knows them, and has its WebSocket and its events", isWhole, seen);
}

const mebibyte = 1_024 * 1_024;

async function uses(guest: Guest, { username }: Person): Promise<void> {
  const form = await takes(guest, "sends the form");
  guest.check(
    "its form arrives",
    isFrom(username, form, (bytes) => bytes === "valve=3+%C3%A4".length),
    form,
  );
  const file = await takes(guest, "sends a file", 50 * mebibyte);
  const isWhole = (bytes: number) => bytes > 50 * mebibyte && bytes < 50 * mebibyte + 1_024;
  guest.check("a file of 50 MiB arrives", isFrom(username, file, isWhole), file);
}

function isFrom(username: string, { status, text }: Sent, isLength: (bytes: number) => boolean): boolean {
  const arrived = arrivedIn(text);
  if (status !== 200 || arrived === undefined) return false;
  return arrived.values("steward-user") === username && isLength(arrived.bytes);
}

/** Browsers send the page's cookie from another port, and from no other site. They show refusals in words of their own. */
async function meetsOthers(guest: Guest, server: string): Promise<void> {
  // Caddy passes on Steward's answer, whose Cross-Origin-Resource-Policy keeps it from other origins; nginx has its own.
  const blocked = "net::ERR_BLOCKED_BY_RESPONSE.NotSameOrigin";
  for (const [where, status, socket] of [
    ["port", "403", "Error during WebSocket handshake: Unexpected response code: 403"],
    ["site", "401", "HTTP Authentication failed; no valid credentials available"],
  ] as const) {
    const answers = await takes(guest, "meets a foreign page", where);
    const expected = [server === "nginx" ? status : blocked, socket, status];
    const name = `Chromium, ${server}: fetch, WebSocket and form of another ${where} get ${status}`;
    guest.check(name, answers.join() === expected.join(), answers);
  }
  const url = await takes(guest, "follows a foreign link");
  guest.check("a link of another site leads there", url === `${pump}/status?from=elsewhere`, url);
}

/** The page is for a higher role from now on, for a while. */
async function mayNoLonger(guest: Guest): Promise<void> {
  await asksForRole(guest, "admin");
  const refused = await takes(guest, "clicks");
  guest.check("a page of a higher role refuses the click", refused.status === 403, refused);
  const words = await takes(guest, "reads why not");
  const isSaid = words.includes("for a higher role than yours");
  guest.check("and the console says why, and what to do", isSaid, words);
  await asksForRole(guest, "readonly");
}
