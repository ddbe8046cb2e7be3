import { createHash, X509Certificate } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import type { Page, Request } from "playwright-core";
import { codeNear } from "../../basics/authenticator.ts";
import { launchChromium } from "../../console/launch.ts";
import { createAuthority } from "../../host/certificates.ts";
import { password } from "../people.ts";

const pump = "https://edge-7.example.net:444";
/** Another site, and another port of the same host: a server of the LAN that is no friend. */
const foreign = { site: "https://evil.example:445", port: "https://edge-7.example.net:445" };

/** A person's browser from its first page on. */
interface Opened {
  readonly page: Page;
  /** A directory for its files. */
  readonly files: string;
  readonly end: () => Promise<void>;
}

let opened: Opened | undefined;

function now(): Opened {
  if (opened === undefined) throw new Error("no browser is open");
  return opened;
}

const here = (): Page => now().page;

export interface Person {
  readonly username: string;
  readonly secret: string;
}

/** A response of the product to a form, and its address. */
export interface Sent {
  readonly url: string;
  readonly status: number;
  readonly text: string;
}

/** Steps of a person with Debian's Chromium on the computer of the machine, which is in the same LAN. */
export const steps = {
  /** Comes to the page with a browser that trusts these certificates, and is led away; returns where. */
  "a person comes": async (certificates: readonly string[]): Promise<string> => {
    opened = await open(certificates);
    const page = here();
    await page.goto(`${pump}/status?a=1&b=%20x`);
    await page.getByLabel("User name").waitFor();
    return page.url();
  },
  /** Signs in, and returns where the browser is then. */
  "signs in": async ({ username, secret }: Person): Promise<string> => {
    const page = here();
    await givesPassword(page, username);
    await page.getByLabel("Code", { exact: true }).fill(codeNear(secret, 1));
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: /^Pump of/ }).waitFor();
    return page.url();
  },
  /** Reads the page: who it says they are, and what its own script got by a WebSocket and by a stream of events. */
  "reads the page": async (): Promise<string[]> => {
    const page = here();
    const shown = [page.getByRole("heading"), page.locator("#socket"), page.locator("#stream")];
    await page.locator("#socket:not(:empty)").waitFor();
    await page.locator("#stream:not(:empty)").waitFor();
    return Promise.all(shown.map((one) => one.innerText()));
  },
  /** Waits for the end of the page's WebSocket. */
  "loses the WebSocket": (): Promise<void> => here().locator("#socket", { hasText: "ended" }).waitFor(),
  "sends the form": async (): Promise<Sent> => {
    await here().getByLabel("Valve").fill("3 ä");
    return sends("Set");
  },
  /** Picks a file of so many bytes, and sends it. */
  "sends a file": async (bytes: number): Promise<Sent> => {
    const path = join(now().files, "firmware");
    writeFileSync(path, Buffer.alloc(bytes, "x"));
    await here().getByLabel("Firmware").setInputFiles(path);
    return sends("Install");
  },
  /** Follows a link on the page, and returns the status that it ends with, and where. */
  clicks: async (): Promise<Sent> => {
    const page = here();
    const [response] = await Promise.all([
      page.waitForResponse((one) => one.request().isNavigationRequest() && one.status() !== 302),
      page.getByRole("link", { name: "Look again" }).click(),
    ]);
    await page.waitForLoadState();
    return { url: page.url(), status: response.status(), text: await page.locator("body").innerText() };
  },
  /** The words of the console to a person whose role is too low, once they come without the page's cookie. */
  "reads why not": async (): Promise<string> => {
    const page = here();
    await page.context().clearCookies({ name: /steward-page-/ });
    await page.goto(`${pump}/status`);
    return page.getByRole("alert").innerText();
  },
  /** Comes back to the page, with the sign-in that they have at the console. */
  "comes back": async (): Promise<string> => {
    const page = here();
    await page.goto(`${pump}/status`);
    await page.getByRole("heading", { name: /^Pump of/ }).waitFor();
    return page.url();
  },
  /** Has the sign-in before them, tries the password, and returns the code of its answer. */
  "is asked to sign in": async (username: string): Promise<string> => {
    const page = here();
    await page.getByLabel("User name").waitFor();
    const [answer] = await Promise.all([
      page.waitForResponse(/\/api\/auth\/login$/),
      givesPassword(page, username),
    ]);
    return ((await answer.json()) as { code: string }).code;
  },
  /** Opens a page elsewhere in a new window, which tries to use the person's sign-in. */
  "meets a foreign page": async (where: keyof typeof foreign): Promise<string[]> => {
    // No window is closed before the browser: to close one that is still loading hangs at times.
    return tries(await here().context().newPage(), foreign[where]);
  },
  /** Follows a link of another site to the page. */
  "follows a foreign link": async (): Promise<string> => {
    const page = await here().context().newPage();
    await page.goto(foreign.site);
    await page.getByRole("link").click();
    await page.getByRole("heading", { name: /^Pump of/ }).waitFor();
    return page.url();
  },
  "goes away": async (): Promise<void> => {
    await opened?.end();
    opened = undefined;
  },
};

/** The browser in the LAN: names lead to their servers, and the named certificates count as an authority's. */
async function open(certificates: readonly string[]): Promise<Opened> {
  // A file there is gone with the scenario.
  const files = mkdtempSync("/run/steward-chromium-");
  const own = createAuthority(files).certify("evil.example");
  const page = `<a href="${pump}/status?from=elsewhere">The pump</a><form method="post" action="${pump}/valves"><button>Set</button></form>`;
  const server = createServer(own, (_, response) => {
    response.setHeader("content-type", "text/html").end(`<!doctype html>${page}`);
  });
  await new Promise<void>((resolve) => server.listen(445, "10.0.2.2", resolve));
  const pins = [...certificates, own.cert].map(pinOf);
  const places = [
    "edge-7.example.net:445 10.0.2.2",
    "evil.example:445 10.0.2.2",
    "edge-7.example.net 10.0.2.15",
  ];
  const browser = await launchChromium(false, [
    `--host-resolver-rules=${places.map((place) => `MAP ${place}`).join(",")}`,
    `--ignore-certificate-errors-spki-list=${pins.join(",")}`,
  ]);
  const context = await browser.newContext({ locale: "en" });
  context.setDefaultTimeout(60_000);
  const end = async () => {
    await browser.close();
    server.closeAllConnections();
    server.close();
  };
  return { page: await context.newPage(), files, end };
}

function pinOf(certificate: string): string {
  const key = new X509Certificate(certificate).publicKey.export({ type: "spki", format: "der" });
  return createHash("sha256").update(key).digest("base64");
}

async function givesPassword(page: Page, username: string): Promise<void> {
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Presses the button of a form, reads what the product answers, and goes back to the page. */
async function sends(button: string): Promise<Sent> {
  const page = here();
  const [response] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === "POST"),
    page.getByRole("button", { name: button }).click(),
  ]);
  const sent = { url: response.url(), status: response.status(), text: await response.text() };
  await page.goBack();
  await page.getByRole("heading", { name: /^Pump of/ }).waitFor();
  return sent;
}

/** The answers to what a page of this origin does to the product in the browser of a person who is signed in. */
async function tries(page: Page, origin: string): Promise<string[]> {
  await page.goto(origin);
  const isFetch = (one: Request) => one.resourceType() === "fetch";
  const [fetched] = await Promise.all([
    Promise.race([
      page.waitForResponse((one) => isFetch(one.request())).then((one) => one.status()),
      page.waitForEvent("requestfailed", isFetch).then((one) => one.failure()?.errorText),
    ]),
    page.evaluate(
      (url) => void fetch(url, { method: "POST", mode: "no-cors", credentials: "include", body: "valve=3" }),
      `${pump}/valves`,
    ),
  ]);
  const refused = new Promise<string>((resolve) =>
    page.once("websocket", (socket) => socket.once("socketerror", resolve)),
  );
  await page.evaluate((url) => void new WebSocket(url), `${pump.replace("https", "wss")}/socket`);
  const refusal = await refused;
  const [form] = await Promise.all([
    page.waitForResponse((one) => one.request().method() === "POST"),
    page.getByRole("button", { name: "Set" }).click(),
  ]);
  return [String(fetched), refusal, String(form.status())];
}
