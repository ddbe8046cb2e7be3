import { existsSync } from "node:fs";
import { chromium, type Page } from "playwright-core";

/** Debian's, of the computer that runs the machine. */
const programs = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** The name that a person types in the LAN; here it leads to the machine's forwarded port. */
const name = "appliance.local";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-dev-shm-usage",
  `--host-resolver-rules=MAP ${name} 127.0.0.1`,
];

/** Milliseconds for anything in a page: an emulated machine answers slowly. */
const patienceMilliseconds = 120_000;

/** The console as a person outside of the machine sees it. */
export interface Seen {
  /** Lines of the journal on its page. */
  readonly logLines: number;
  /** Errors of its pages. */
  readonly failures: readonly string[];
}

/** Signs in to the console over HTTPS and opens its page of logs. */
export async function openConsole(port: number, username: string, password: string): Promise<Seen> {
  const executablePath = programs.find((path) => existsSync(path));
  if (executablePath === undefined) throw new Error(`no browser: install Debian's chromium`);
  const browser = await chromium.launch({ executablePath, args: flags });
  // The certificate is of the machine's own making.
  const page = await browser.newPage({ ignoreHTTPSErrors: true, locale: "en" });
  try {
    page.setDefaultTimeout(patienceMilliseconds);
    const failures: string[] = [];
    page.on("pageerror", (error) => failures.push(error.message));
    await page.goto(`https://${name}:${port}/`, { timeout: patienceMilliseconds });
    await signIn(page, username, password);
    await page.goto(`https://${name}:${port}/system/logs`);
    const lines = page.getByRole("log").locator("summary");
    await lines.first().waitFor();
    return { logLines: await lines.count(), failures };
  } catch (error) {
    const text = await page.locator("body").innerText({ timeout: 5_000 });
    throw new Error(`${String(error)}\nThe page says: ${text.slice(0, 500)}`);
  } finally {
    await browser.close();
  }
}

async function signIn(page: Page, username: string, password: string): Promise<void> {
  await page.getByLabel("User name").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Password", { exact: true }).waitFor({ state: "detached" });
}
