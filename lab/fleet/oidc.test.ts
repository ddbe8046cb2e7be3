/** People sign in at a real OpenID provider (oidc-provider of the npm registry), from the console of the built agent. */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { type AgentProcess, startAgentProcess } from "../agents/running-agent.ts";
import { heldPort } from "../basics/held-ports.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { until } from "../basics/until.ts";
import { launchChromium } from "../console/launch.ts";
import { createAuthority } from "../host/certificates.ts";
import { type Chronyd, startChronyd } from "../host/chronyd.ts";
import { rowsOf } from "./programs.ts";

const root = join(import.meta.dirname, "../..");
/** As oidc-provider.mjs knows it. */
const clientSecret = "a secret of the plant";
const row = rowsOf("oidc");

describe("users of oidc-provider", () => {
  const directory = scratchDirectory();
  let provider: ChildProcess | undefined;
  let clock: Chronyd | undefined;
  let agent: AgentProcess;
  let browser: Browser | undefined;
  let origin: string;

  before(async () => {
    const port = await heldPort();
    origin = `https://127.0.0.1:${port}`;
    const issuer = await startProvider();
    const time = { mode: "observe", servers: [] as string[], min_agreeing: 1 };
    clock = await startChronyd();
    const write = (name: string, content: object | string, mode = 0o600): string => {
      const path = join(directory, name);
      writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
      chmodSync(path, mode);
      return path;
    };
    const oidc = {
      ...{ name: "Example Works", issuer, client_id: "edge-7", origins: [origin] },
      client_secret_file: write("secret", "a secret of last year\n"),
      roles: { admin: ["plant-admins"], operator: ["plant-operators"] },
      ...{ ca_file: join(directory, "ca.pem"), allow_local_servers: true },
    };
    const https = { enabled: true, port, address: "127.0.0.1" };
    mkdirSync(join(directory, "credentials"), { mode: 0o700 });
    write("credentials/steward.oidc", `${clientSecret}\n`, 0o400);
    agent = await startAgentProcess({
      arguments: ["--host-file", write("steward.json", { oidc, https })],
      environment: {
        STEWARD_INITIAL_SETTINGS: write("settings.json", { time }),
        CREDENTIALS_DIRECTORY: join(directory, "credentials"),
      },
    });
    await agent.signedInAdmin();
    browser = await launchChromium(false, []);
  });
  after(async () => {
    await browser?.close();
    await agent?.dispose();
    await clock?.stop();
    provider?.kill("SIGTERM");
  });

  async function startProvider(): Promise<string> {
    const { key, cert } = createAuthority(directory).certify("127.0.0.1");
    writeFileSync(join(directory, "provider.key"), key);
    writeFileSync(join(directory, "provider.pem"), cert);
    const program = join(root, "lab/fleet/oidc-provider.mjs");
    const files = [join(directory, "provider.key"), join(directory, "provider.pem")];
    const child = spawn(process.execPath, [program, ...files, `${origin}/oidc`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    provider = child;
    const [said] = await once(child.stdout.setEncoding("utf8"), "data");
    assert.match(said, /^https:\/\/127\.0\.0\.1:\d+\n$/);
    return said.trim();
  }

  /** Does what a person does in the provider's window: the name and any password, then yes. */
  async function signInThere(window: Page, name: string): Promise<void> {
    await window.locator('input[name="login"]').fill(name);
    await window.locator('input[name="password"]').fill("any");
    await window.locator('button[type="submit"]').click();
    const consent = window.getByRole("button", { name: /continue/i });
    await consent.click({ timeout: 20_000 }).catch((error: unknown) => {
      // Consent that was given before is not asked for again.
      if (!window.isClosed()) throw error;
    });
  }

  /** Presses the button that leads to the provider, and signs in there. */
  async function throughProvider(context: BrowserContext, page: Page, name: string): Promise<void> {
    const opened = context.waitForEvent("page");
    await page.getByRole("button", { name: "Sign in with Example Works" }).click();
    await signInThere(await opened, name);
  }

  async function met(): Promise<{ context: BrowserContext; page: Page }> {
    const context = await browser?.newContext({ ignoreHTTPSErrors: true, locale: "en" });
    assert.ok(context);
    const page = await context.newPage();
    await page.goto(origin);
    return { context, page };
  }

  async function signedIn(name: string): Promise<{ context: BrowserContext; page: Page }> {
    const { context, page } = await met();
    await throughProvider(context, page, name);
    await page.locator(".frame").waitFor();
    return { context, page };
  }

  const users = async (): Promise<{ username: string; role: string; origin: string; id: string }[]> =>
    (await agent.call("GET", "/api/users?limit=200", { local: true })).json.items;

  const begin = () =>
    agent.call("POST", "/api/auth/provider/begin", { body: { origin }, headers: { host: "127.0.0.1" } });

  it("are refused while the clock is not trusted, with the sentence that says so", async () => {
    const { status, json } = await begin();
    assert.deepEqual([status, json.code], [409, "clock_not_synchronised"]);
    assert.match(
      json.detail,
      /The clock of this device is not trusted, so it cannot judge what Example Works says/,
    );
    row("clock not trusted", `${status} ${json.code}`);
    const servers = [`127.0.0.1:${clock?.port}`];
    await agent.call("PUT", "/api/system", { body: { time: { servers } }, local: true });
    await agent.call("POST", "/api/system/time-sync/sync", { body: {}, local: true });
    await until("a trusted clock", async () => (await begin()).status === 200);
  });

  it("sign in from the console, and have the role of their groups", async () => {
    const started = performance.now();
    const { context, page } = await signedIn("ada");
    row(
      "a sign-in from the console, with a person's typing",
      `${Math.round(performance.now() - started)} ms`,
    );
    const ada = (await users()).find(({ username }) => username === "ada");
    assert.deepEqual([ada?.role, ada?.origin], ["operator", "provider"]);
    row("ada, of plant-operators", `${ada?.role}, ${ada?.origin}`);
    row("the device's secret", "the credential steward.oidc, before client_secret_file");
    assert.equal(new URL(page.url()).search, "");
    await page.goto(`${origin}/account`);
    await page.getByText("You sign in at the provider").waitFor();
    assert.equal(await page.getByLabel("New password").count(), 0);
    await context.close();
  });

  it("are refused without a group that counts", async () => {
    const { context, page } = await met();
    await throughProvider(context, page, "edsger");
    await page.getByText("None of your groups has a role on this device").first().waitFor();
    assert.equal(
      (await users()).some(({ username }) => username === "edsger"),
      false,
    );
    row("edsger, of visitors", "403 role_missing");
    await context.close();
  });

  it("read that they cancelled there, and that no one was signed in", async () => {
    const { context, page } = await met();
    const opened = context.waitForEvent("page");
    await page.getByRole("button", { name: "Sign in with Example Works" }).click();
    await (await opened).getByRole("link", { name: /cancel/i }).click();
    await page.getByText("Technical details", { exact: true }).click();
    await page.getByText(/^The sign-in was cancelled at the provider, .* Begin again\.$/).waitFor();
    row("cancelling there", "401 provider_refused, access_denied");
    await context.close();
  });

  it("step up by signing in there again, and sign out", async () => {
    // From here on by the file: the unit's blank credential is none.
    writeFileSync(join(directory, "credentials/steward.oidc"), "\n");
    writeFileSync(join(directory, "secret"), `${clientSecret}\n`);
    const { context, page } = await signedIn("grace");
    await page.goto(`${origin}/users`);
    await page.getByRole("button", { name: /^Add/ }).first().click();
    await page.getByLabel("User name").fill("wilma");
    await page
      .getByRole("button", { name: /^(Add|Create)/ })
      .last()
      .click();
    await page.getByText("Sign in at the provider once more").waitFor();
    await throughProvider(context, page, "grace");
    await until("the new user", async () => (await users()).some(({ username }) => username === "wilma"));
    row("step-up", "prompt=login at the provider, then the change goes on");
    const grace = (await users()).find(({ username }) => username === "grace");
    const sessions = async (): Promise<number> =>
      (await agent.call("GET", `/api/auth/sessions?user_id=${grace?.id}`, { local: true })).json.total;
    assert.equal(await sessions(), 1);
    // In another window, for the first still shows the new user's password.
    const second = await context.newPage();
    await second.goto(origin);
    await second.getByRole("button", { name: /^Your account:/ }).click();
    await second.getByRole("menuitem", { name: "Sign out" }).click();
    await second.getByRole("button", { name: "Sign in with Example Works" }).waitFor();
    assert.equal(await sessions(), 0);
    row("signing out", "the session is ended on the device");
    await context.close();
  });
});
