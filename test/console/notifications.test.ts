import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { changeSettings, signIn, startBrowser, untilFocused, untilShown } from "../../lab/console/browser.ts";
import { lightConsoleOf, startLightConsole } from "../../lab/console/light/light-browser.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { type MailServer, mailUser, startMailServer } from "../../lab/host/mail-server.ts";
import { startWebServer, type WebServer } from "../../lab/host/web-server.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const section = "/system/settings?open=notifications";

/** Names its receivers on the device itself, as only root can allow. */
function hostFile(more: object = {}): string {
  const directory = scratchDirectory();
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "steward.json");
  writeFileSync(path, JSON.stringify({ notify: { allow_local_servers: true }, ...more }), { mode: 0o600 });
  return path;
}

describe("the receivers of messages in the console", () => {
  const received: Received[] = [];
  let [status, hook, mail] = [204, undefined as WebServer | undefined, undefined as MailServer | undefined];
  const { agent, browser, ending, looks } = lightConsoleOf(() =>
    startAgentInProcess({ arguments: ["--host-file", hostFile()] }),
  );
  before(async () => {
    hook = await startWebServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (piece: string) => {
        body += piece;
      });
      request.on("end", () => {
        received.push({ headers: request.headers, body });
        response.writeHead(status).end();
      });
    });
    mail = await startMailServer(createAuthority(scratchDirectory()).certify("127.0.0.1"));
  });
  after(async () => {
    await hook?.stop();
    await mail?.stop();
  });

  const change = (notify: object) => changeSettings(agent, { notify });
  const notNeeded = async () =>
    (await agent.call("GET", "/api/system", { local: true })).json.device.not_needed;
  const stored = async () => (await agent.call("GET", "/api/system", { local: true })).json.notify;
  const alerts = () => ({ name: "alerts", kind: "webhook", takes: "all", url: `${hook?.url}/hook` });
  const open = async (role: "admin" | "operator" | "readonly" = "admin", path = section) => {
    const window = await browser.open(agent);
    await signIn(window.page, role, path);
    return window;
  };
  const sheet = (page: Page, name = "Add a receiver") => page.getByRole("dialog", { name });
  const adding = async (page: Page): Promise<Locator> => {
    await page.getByRole("button", { name: "Add a receiver" }).click();
    return sheet(page);
  };
  const save = (dialog: Locator) => dialog.getByRole("button", { name: "Save" }).click();
  /** The link of the need on Home. */
  const setUp = (page: Page) =>
    page
      .getByRole("listitem")
      .filter({ hasText: "No message is sent" })
      .getByRole("link", { name: "Set it up" });
  const card = (page: Page, name: string) => page.locator(".receiver", { hasText: name });

  it("are asked for on Home, until someone says in their section that none is wanted, and again where that is taken back", async () => {
    await changeSettings(agent, { device: { not_needed: ["updates_not_set_up"] } });
    const { page } = await open("admin", "/");
    await setUp(page).click();
    await page.getByRole("button", { name: "None is wanted here" }).click();
    await page.getByText("Home does not ask for a receiver").waitFor();
    assert.deepEqual(await notNeeded(), ["updates_not_set_up", "no_receiver"]);
    await page.goto("/");
    await page.getByRole("heading", { name: "Give this device a name" }).waitFor();
    assert.equal(await setUp(page).count(), 0);
    await page.goto(section);
    await page.getByRole("button", { name: "Ask again" }).click();
    await page.getByRole("button", { name: "None is wanted here" }).waitFor();
    assert.deepEqual(await notNeeded(), ["updates_not_set_up"], "all else stays");
    looks.keep(page, "notifications-none");
  });

  it("get a webhook from Home's link, whose secret is shown once, and whose test is verified by it", async () => {
    const { page } = await open("admin", "/");
    await setUp(page).click();
    const dialog = await adding(page);
    await dialog.getByLabel("Name", { exact: true }).fill("alerts");
    await dialog.getByLabel("Address", { exact: true }).fill(`${hook?.url}/hook`);
    await save(dialog);
    await dialog.getByText("alerts is saved. Give this secret to the receiver").waitFor();
    const secret = await dialog.locator(".secret pre").innerText();
    assert.match(secret, /^whsec_/);
    looks.keep(page, "notifications-secret");
    await dialog.getByRole("button", { name: "Done" }).click();
    assert.equal(await page.getByText(secret).count(), 0);
    assert.deepEqual((await stored()).receivers, [alerts()]);
    await page.getByRole("button", { name: "Send a test: alerts" }).click();
    await card(page, "alerts").getByText("204 No Content").waitFor();
    const [{ headers, body } = assert.fail()] = received.splice(0);
    const event = new Webhook(secret).verify(body, headers as Record<string, string>);
    assert.equal((event as { type: string }).type, "steward.test");
    await card(page, "alerts").getByText("reached", { exact: true }).waitFor();
    assert.equal(await page.locator(".toast", { hasText: "Another user" }).count(), 0);
  });

  it("answer a test with what went wrong, in place", async () => {
    const { page } = await open();
    status = 500;
    await page.getByRole("button", { name: "Send a test: alerts" }).click();
    await page.getByRole("alert").getByText("The test was not delivered").waitFor();
    await untilShown(page.getByRole("alert").getByText(/answered 500/));
    looks.keep(page, "notifications-refused");
    status = 204;
    await page.getByRole("button", { name: "Send a test: alerts" }).click();
    await page.getByText("204 No Content").waitFor();
    assert.equal(await page.getByRole("alert").count(), 0);
  });

  it("keep what was typed where it is refused, and say why at each field", async () => {
    const { page } = await open();
    const dialog = await adding(page);
    const name = dialog.getByLabel("Name", { exact: true });
    await name.fill("On Call");
    await dialog.getByLabel("Address", { exact: true }).fill("ftp://alerts.example");
    await save(dialog);
    await dialog.getByText("1 to 32 small letters").waitFor();
    await dialog.getByText("An address is expected that begins with https://").waitFor();
    await untilFocused(name);
    await name.fill("alerts");
    await dialog.getByLabel("Address", { exact: true }).fill(`${hook?.url}/other`);
    await save(dialog);
    await dialog.getByText("Another receiver has this name").waitFor();
    assert.deepEqual((await stored()).receivers, [alerts()], "it is not written over");
    await name.fill("other");
    await dialog.getByLabel("Given by the receiver").check();
    const secret = dialog.getByLabel("Secret", { exact: true });
    await secret.fill("whsec_short");
    await save(dialog);
    await dialog.getByText("whsec_ and 24 to 64 bytes").waitFor();
    looks.keep(page, "notifications-faults");
    // The receiver is there by now: it is the same one that is saved again.
    await secret.fill(`whsec_${Buffer.alloc(32, 7).toString("base64")}`);
    await dialog.getByLabel("Only what cannot wait").check();
    await save(dialog);
    await dialog.waitFor({ state: "detached" });
    const [, other, ...more] = (await stored()).receivers;
    assert.deepEqual([other.name, other.takes, more], ["other", "grave", []]);
    await page.getByRole("button", { name: "Send a test: other" }).click();
    await card(page, "other").getByText("204 No Content").waitFor();
    const { headers, body } = received.at(-1) ?? assert.fail();
    new Webhook(Buffer.alloc(32, 7).toString("base64")).verify(body, headers as Record<string, string>);
  });

  it("are chat services too, known by the address that is pasted, which needs no secret", async () => {
    const { page } = await open();
    const dialog = await adding(page);
    const address = dialog.getByLabel("Address", { exact: true });
    const isChecked = (name: string) => dialog.getByRole("radio", { name }).isChecked();
    await dialog.getByLabel("Name", { exact: true }).fill("team");
    assert.equal(await isChecked("Webhook"), true);
    await address.fill("https://hooks.slack.com/services/T0/B0/abc");
    assert.equal(await isChecked("Slack"), true);
    assert.equal(await dialog.getByText("Secret for signatures").count(), 0);
    await address.fill(`${hook?.url}/message?token=A23456789012345`);
    assert.equal(await isChecked("Gotify"), true);
    await dialog.getByText("Empty: the address is secret enough").waitFor();
    looks.keep(page, "notifications-chat");
    await save(dialog);
    await dialog.waitFor({ state: "detached" });
    await card(page, "team").getByText("Gotify", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Send a test: team" }).click();
    await card(page, "team").getByText("Gotify does not answer so").first().waitFor();
    assert.equal(JSON.parse(received.pop()?.body ?? "").title.endsWith("Test message"), true);
    // One that was named as a webhook, as the command line may.
    const { receivers } = await stored();
    assert.equal(receivers.at(-1).kind, "gotify");
    await change({ receivers: receivers.with(-1, { ...receivers.at(-1), kind: "webhook" }) });
    await page.reload();
    await page.getByRole("button", { name: "Edit: team" }).click();
    const edit = sheet(page, "Edit team");
    await edit.getByText("Empty: the address is secret enough").waitFor();
    await save(edit);
    await edit.waitFor({ state: "detached" });
    await change({ receivers: receivers.slice(0, -1) });
  });

  it("are mailboxes too, whose password is for one server and one user name", async () => {
    const { page } = await open();
    const dialog = await adding(page);
    await dialog.getByLabel("Name", { exact: true }).fill("duty");
    await dialog.getByRole("radio", { name: "Mail" }).check();
    await dialog.getByRole("radio", { name: "TLS from the start" }).check();
    assert.equal(await dialog.getByLabel("Port", { exact: true }).inputValue(), "465");
    await dialog.getByRole("radio", { name: "STARTTLS" }).check();
    assert.equal(await dialog.getByLabel("Port", { exact: true }).inputValue(), "587");
    await dialog.getByRole("textbox", { name: "Mail server" }).fill("127.0.0.1");
    await dialog.getByLabel("Port", { exact: true }).fill("many");
    assert.equal(await dialog.getByLabel("Password", { exact: true }).count(), 0);
    await dialog.getByLabel("User name").fill(mailUser.username);
    await dialog.getByLabel("Password", { exact: true }).fill(mailUser.password);
    await dialog.getByLabel("Sender").fill("boiler@plant.example");
    await dialog.getByLabel("Recipients").fill("duty@plant.example\nnobody");
    await save(dialog);
    await dialog.getByText("A number from 1 to 65535 is expected").waitFor();
    await dialog.getByText("Mail addresses are expected").waitFor();
    looks.keep(page, "notifications-mail-faults");
    await dialog.getByLabel("Port", { exact: true }).fill(String(mail?.port));
    await dialog.getByLabel("Recipients").fill("duty@plant.example, owner@plant.example");
    await save(dialog);
    await dialog.waitFor({ state: "detached" });
    const duty = card(page, "duty");
    await duty.getByText("duty@plant.example, owner@plant.example").waitFor();
    assert.ok(!JSON.stringify(await stored()).includes(mailUser.password));
    await page.getByRole("button", { name: "Send a test: duty" }).click();
    // Its certificate is from an authority that this system does not know.
    await untilShown(duty.getByText(/certificate/).first());
    assert.deepEqual(mail?.mails, []);
    await page.getByRole("button", { name: "Edit: duty" }).click();
    const edit = sheet(page, "Edit duty");
    await edit.getByText("One is set. Leave this empty to keep it.").waitFor();
    await edit.getByLabel("User name").fill("someone");
    await edit.getByText("type it again").waitFor();
    looks.keep(page, "notifications-mail");
    await save(edit);
    await duty.getByText("missing: nothing can be sent until it is set").waitFor();
    await duty.getByText("has no password").waitFor();
  });

  it("are changed without losing what another user did meanwhile", async () => {
    const { page } = await open();
    await page.getByRole("button", { name: "Edit: alerts" }).click();
    const dialog = sheet(page, "Edit alerts");
    await dialog.getByLabel("Address", { exact: true }).fill(`${hook?.url}/mine`);
    const [first, ...others] = (await stored()).receivers;
    await change({ receivers: [{ ...first, takes: "grave" }, ...others] });
    await save(dialog);
    await dialog.getByText("Another user has changed this receiver. Nothing is saved.").waitFor();
    assert.equal((await stored()).receivers[0].url, alerts().url);
    await save(dialog);
    await dialog.waitFor({ state: "detached" });
    assert.deepEqual((await stored()).receivers[0], { ...alerts(), url: `${hook?.url}/mine` });
    // The secret was kept.
    await page.getByRole("button", { name: "Send a test: alerts" }).click();
    await card(page, "alerts").getByText("204 No Content").waitFor();
    await page.getByRole("button", { name: "Edit: other" }).click();
    await change({ receivers: [(await stored()).receivers[0]] });
    await save(sheet(page, "Edit other"));
    await sheet(page, "Edit other").getByText("Another user has removed this receiver").waitFor();
  });

  it("are removed after a question, and only the one that was meant", async () => {
    await change({ receivers: [alerts(), { ...alerts(), name: "second" }] });
    const { page } = await open();
    await page.getByRole("button", { name: "Remove: alerts" }).click();
    const question = page.getByRole("dialog", { name: "Remove alerts?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    assert.equal((await stored()).receivers.length, 2);
    await page.getByRole("button", { name: "Remove: alerts" }).click();
    await question.getByRole("button", { name: "Remove" }).click();
    await page.locator(".toast", { hasText: "Removed" }).waitFor();
    assert.deepEqual((await stored()).receivers, [{ ...alerts(), name: "second" }]);
  });

  it("are at most eight, and the button says so", async () => {
    const eight = Array.from({ length: 8 }, (_, index) => ({ ...alerts(), name: `r${index}` }));
    await change({ receivers: eight });
    const { page } = await open();
    await page.getByText("There are 8 receivers already").waitFor();
    const button = page.getByRole("button", { name: "Add a receiver" });
    assert.equal(await button.getAttribute("aria-disabled"), "true");
  });

  it("are read by an operator, and hidden from others", async () => {
    const { page } = await open("operator");
    await card(page, "r0").waitFor();
    await page.getByText("Only an administrator can change them.").waitFor();
    assert.equal(await page.getByRole("button", { name: /Send a test|Edit:|Add a receiver/ }).count(), 0);
    const reader = await open("readonly");
    await reader.page.getByRole("region", { name: "Notifications" }).getByText("hidden: your role").waitFor();
    assert.equal(await reader.page.locator(".receiver").count(), 0);
  });

  it("are found among the settings, and read from the agent only then", async () => {
    const { page } = await open("admin", "/system/settings");
    await page.getByLabel("Device name").waitFor();
    assert.equal(await page.locator(".receiver").count(), 0);
    await page.getByRole("searchbox", { name: "Find a setting" }).fill("webhook");
    await card(page, "r0").waitFor();
  });

  it("are shown but not changed where root names them, whom an administrator can test", async () => {
    const telemetry = { otlp: { url: `${hook?.url}` } };
    const arguments_ = ["--host-file", hostFile({ telemetry })];
    const roots = await startLightConsole(ending, () => startAgentInProcess({ arguments: arguments_ }));
    const { page } = await roots.browser.open(roots.agent);
    await signIn(page, "admin", section);
    const otlp = card(page, "OTLP collector");
    await otlp.getByText("From the host file. Only root can change it").waitFor();
    assert.equal(await otlp.getByRole("button").count(), 1);
    assert.equal(await page.locator(".notifications .empty").count(), 0);
    received.splice(0);
    await page.getByRole("button", { name: "Send a test: otlp" }).click();
    await otlp.getByText("The test was", { exact: false }).first().waitFor();
    assert.ok(received.length > 0, "the collector was asked");
    looks.keep(page, "notifications-of-root");
  });

  it("come into view from Home, with the keyboard on their head, and fit into 320 pixels", async () => {
    await change({ receivers: [] });
    const chromium = await startBrowser(ending);
    const page = await chromium.signedIn(agent, "admin", "/", { width: 320, height: 600 });
    await setUp(page).click();
    await untilFocused(page.getByRole("heading", { name: "Notifications" }));
    await page.getByRole("button", { name: "Add a receiver" }).waitFor();
    const isInView = await page.getByRole("heading", { name: "Notifications" }).evaluate((head) => {
      const { top, bottom } = head.getBoundingClientRect();
      return top >= 0 && bottom <= innerHeight;
    });
    assert.ok(isInView, "the head is in view");
    await page.getByRole("button", { name: "Add a receiver" }).press("Enter");
    await untilFocused(sheet(page).getByLabel("Name", { exact: true }));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320);
    await page.keyboard.press("Escape");
    await untilFocused(page.getByRole("button", { name: "Add a receiver" }));
  });
});
