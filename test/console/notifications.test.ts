import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Locator, Page } from "playwright-core";
import { Webhook } from "standardwebhooks";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { changeSettings, fill, press, sees, startBrowser, untilFocused } from "../../lab/console/browser.ts";
import { lightConsoleOf, startLightConsole } from "../../lab/console/light/light-browser.ts";
import { assertFits } from "../../lab/console/page-checks.ts";
import { createAuthority } from "../../lab/host/certificates.ts";
import { type MailServer, mailUser, startMailServer } from "../../lab/host/mail-server.ts";
import { startWebServer, type WebServer } from "../../lab/host/web-server.ts";

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const section = "/system/settings?open=notifications";

/** Its receivers are on the device itself, as only root can allow. */
function start(more: object = {}) {
  const path = join(scratchDirectory(), "steward.json");
  writeFileSync(path, JSON.stringify({ notify: { allow_local_servers: true }, ...more }), { mode: 0o600 });
  return startAgentInProcess({ arguments: ["--host-file", path] });
}

describe("the receivers of messages in the console", () => {
  const received: Received[] = [];
  let [status, hook, mail] = [204, undefined as WebServer | undefined, undefined as MailServer | undefined];
  const { agent, browser, ending, looks } = lightConsoleOf(() => start());
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

  const change = (receivers: readonly object[]) => changeSettings(agent, { notify: { receivers } });
  const stored = async () => (await agent.read("/api/system")).notify.receivers;
  const notNeeded = async () => (await agent.read("/api/system")).device.not_needed;
  const alerts = () => ({ name: "alerts", kind: "webhook", takes: "all", url: `${hook?.url}/hook` });
  const open = (role: "admin" | "operator" | "readonly" = "admin", path = section) =>
    browser.signedIn(agent, role, path);
  const sheet = (page: Page, name = "Add a receiver") => page.getByRole("dialog", { name });
  const adding = async (page: Page): Promise<Locator> => {
    await press(page, "Add a receiver");
    return sheet(page);
  };
  const isGone = (place: Locator) => place.waitFor({ state: "detached" });
  const setUp = (page: Page) => page.getByRole("link", { name: "Set up notifications" });
  const card = (page: Page, name: string) => page.locator(".receiver", { hasText: name });
  /** Sends a test and waits for what the card says of it; the message that came. */
  const tested = async (page: Page, name: string, said: string | RegExp = "204 No Content") => {
    received.splice(0);
    await press(page, `Send a test: ${name}`);
    await sees(card(page, name), said);
    return received.at(-1);
  };
  const verify = (secret: string, message: Received | undefined) => {
    const { headers, body } = message ?? assert.fail("nothing came");
    return new Webhook(secret).verify(body, headers as Record<string, string>) as { type: string };
  };

  it("are asked for on Home, until someone says in their section that none is wanted, and again where that is taken back", async () => {
    await changeSettings(agent, { device: { not_needed: ["updates_not_set_up"] } });
    const page = await open("admin", "/");
    await setUp(page).click();
    await press(page, "None is wanted here");
    await sees(page, "Home does not ask for a receiver");
    assert.deepEqual(await notNeeded(), ["updates_not_set_up", "no_receiver"]);
    await page.goto("/");
    await page.getByRole("link", { name: "Name this device" }).waitFor();
    assert.equal(await setUp(page).count(), 0);
    await page.goto(section);
    await press(page, "Ask again");
    await page.getByRole("button", { name: "None is wanted here" }).waitFor();
    assert.deepEqual(await notNeeded(), ["updates_not_set_up"], "all else stays");
    looks.keep(page, "notifications-none");
  });

  it("get a webhook from Home's link, whose secret is shown once, and whose test is verified by it, or says what went wrong", async () => {
    const page = await open("admin", "/");
    await setUp(page).click();
    const dialog = await adding(page);
    await fill(dialog, { Name: "alerts", Address: `${hook?.url}/hook` });
    await press(dialog, "Save");
    await sees(dialog, "alerts is saved. Give this secret to the receiver");
    const secret = await dialog.locator(".secret pre").innerText();
    assert.match(secret, /^whsec_/);
    looks.keep(page, "notifications-secret");
    await press(dialog, "Done");
    assert.equal(await page.getByText(secret).count(), 0);
    assert.deepEqual(await stored(), [alerts()]);
    assert.equal(verify(secret, await tested(page, "alerts")).type, "steward.test");
    await card(page, "alerts").getByText("reached", { exact: true }).waitFor();
    assert.equal(await page.locator(".toast", { hasText: "Another user" }).count(), 0);
    status = 500;
    await tested(page, "alerts", "The test was not delivered");
    await sees(page.getByRole("alert"), /answered 500/);
    looks.keep(page, "notifications-refused");
    status = 204;
    await tested(page, "alerts");
    assert.equal(await page.getByRole("alert").count(), 0);
  });

  it("keep what was typed where it is refused, and say why at each field", async () => {
    const page = await open();
    const dialog = await adding(page);
    const name = dialog.getByLabel("Name", { exact: true });
    await fill(dialog, { Name: "On Call", Address: "ftp://alerts.example" });
    await press(dialog, "Save");
    await sees(dialog, "1 to 32 lower-case letters", "An address is expected that begins with https://");
    await untilFocused(name);
    await fill(dialog, { Name: "alerts", Address: `${hook?.url}/other` });
    await press(dialog, "Save");
    await sees(dialog, "Another receiver has this name");
    assert.deepEqual(await stored(), [alerts()], "it is not written over");
    await name.fill("other");
    await dialog.getByLabel("Given by the receiver").check();
    await fill(dialog, { Secret: "whsec_short" });
    await press(dialog, "Save");
    await sees(dialog, "whsec_ and 24 to 64 bytes");
    looks.keep(page, "notifications-faults");
    // The receiver is there by now: it is the same one that is saved again.
    const secret = Buffer.alloc(32, 7).toString("base64");
    await fill(dialog, { Secret: `whsec_${secret}` });
    await dialog.getByLabel("Urgent messages only").check();
    await press(dialog, "Save");
    await isGone(dialog);
    const [, other, ...more] = await stored();
    assert.deepEqual([other.name, other.takes, more], ["other", "grave", []]);
    verify(secret, await tested(page, "other"));
  });

  it("are chat services too, known by the address that is pasted, which needs no secret", async () => {
    const page = await open();
    const dialog = await adding(page);
    await fill(dialog, { Name: "team" });
    for (const [address, kind] of [
      ["", "Webhook"],
      ["https://hooks.slack.com/services/T0/B0/abc", "Slack"],
      [`${hook?.url}/message?token=A23456789012345`, "Gotify"],
    ] as const) {
      await fill(dialog, { Address: address });
      assert.equal(await dialog.getByRole("radio", { name: kind }).isChecked(), true);
      const secrets = await dialog.getByText("Secret for signatures").count();
      assert.equal(secrets > 0, kind === "Webhook", kind);
    }
    await sees(dialog, "Empty: the address is secret enough");
    await press(dialog, "Save");
    await isGone(dialog);
    const message = await tested(page, "team", "Gotify does not answer so");
    assert.equal(JSON.parse(message?.body ?? "").title.endsWith("Test message"), true);
    // One that was named as a webhook, as the command line may.
    const receivers = await stored();
    assert.equal(receivers.at(-1).kind, "gotify");
    await change(receivers.with(-1, { ...receivers.at(-1), kind: "webhook" }));
    await page.reload();
    await press(page, "Edit: team");
    const edit = sheet(page, "Edit team");
    await sees(edit, "Empty: the address is secret enough");
    await press(edit, "Save");
    await isGone(edit);
    await change(receivers.slice(0, -1));
  });

  it("are mailboxes too, whose password is for one server and one user name", async () => {
    const page = await open();
    const dialog = await adding(page);
    await fill(dialog, { Name: "duty" });
    await dialog.getByRole("radio", { name: "Mail" }).check();
    for (const [security, port] of [
      ["TLS from the start", "465"],
      ["STARTTLS", "587"],
    ] as const) {
      await dialog.getByRole("radio", { name: security }).check();
      assert.equal(await dialog.getByLabel("Port", { exact: true }).inputValue(), port);
    }
    await dialog.getByRole("textbox", { name: "Mail server" }).fill("127.0.0.1");
    assert.equal(await dialog.getByLabel("Password", { exact: true }).count(), 0);
    await dialog.getByLabel("User name").fill(mailUser.username);
    await fill(dialog, { Password: mailUser.password, Port: "many" });
    await fill(dialog, { Sender: "boiler@plant.example", Recipients: "duty@plant.example\nnobody" });
    await press(dialog, "Save");
    await sees(dialog, "A number from 1 to 65535 is expected", "Mail addresses are expected");
    looks.keep(page, "notifications-mail-faults");
    await fill(dialog, { Port: String(mail?.port) });
    await dialog.getByLabel("Recipients").fill("duty@plant.example, owner@plant.example");
    await press(dialog, "Save");
    await isGone(dialog);
    const duty = card(page, "duty");
    await sees(duty, "duty@plant.example, owner@plant.example");
    assert.ok(!JSON.stringify(await stored()).includes(mailUser.password));
    // Its certificate is from an authority that this system does not know.
    await tested(page, "duty", /certificate/);
    assert.deepEqual(mail?.mails, []);
    await press(page, "Edit: duty");
    const edit = sheet(page, "Edit duty");
    await sees(edit, "One is set. Leave this empty to keep it.");
    await edit.getByLabel("User name").fill("someone");
    await sees(edit, "type it again");
    await press(edit, "Save");
    await sees(duty, "missing: nothing can be sent until it is set", "has no password");
  });

  it("are changed without losing what another user did meanwhile", async () => {
    const page = await open();
    await press(page, "Edit: alerts");
    const dialog = sheet(page, "Edit alerts");
    await fill(dialog, { Address: `${hook?.url}/mine` });
    const [first, ...others] = await stored();
    await change([{ ...first, takes: "grave" }, ...others]);
    await press(dialog, "Save");
    await sees(dialog, "Another user has changed this receiver. Nothing is saved.");
    assert.equal((await stored())[0].url, alerts().url);
    await press(dialog, "Save");
    await isGone(dialog);
    assert.deepEqual((await stored())[0], { ...alerts(), url: `${hook?.url}/mine` });
    // The secret was kept.
    await tested(page, "alerts");
    await press(page, "Edit: other");
    await change([(await stored())[0]]);
    await press(sheet(page, "Edit other"), "Save");
    await sees(sheet(page, "Edit other"), "Another user has removed this receiver");
  });

  it("are removed after a question, only the one that was meant, and at most eight", async () => {
    const eight = Array.from({ length: 8 }, (_, index) => ({ ...alerts(), name: `r${index}` }));
    await change(eight);
    const page = await open();
    const add = page.getByRole("button", { name: "Add a receiver" });
    await sees(page, "There are already 8 receivers");
    assert.equal(await add.getAttribute("aria-disabled"), "true");
    const question = page.getByRole("dialog", { name: "Remove r3?" });
    for (const [verb, left] of [
      ["Cancel", eight],
      ["Remove", eight.toSpliced(3, 1)],
    ] as const) {
      await press(page, "Remove: r3");
      await press(question, verb);
      await isGone(question);
      assert.deepEqual(await stored(), left);
    }
  });

  it("are found among the settings, read by an operator, and hidden from others", async () => {
    const page = await open("operator", "/system/settings");
    await page.locator(".settings-group.open").waitFor();
    assert.equal(await page.locator(".receiver").count(), 0, "they are read before they are asked for");
    await page.getByRole("searchbox", { name: "Find a setting" }).fill("webhook");
    await sees(page, "Only an administrator can change them.");
    await card(page, "r0").waitFor();
    assert.equal(await page.getByRole("button", { name: /Send a test|Edit:|Add a receiver/ }).count(), 0);
    const reader = await open("readonly");
    await sees(reader.getByRole("region", { name: "Who is notified?" }), "hidden: your role");
    assert.equal(await reader.locator(".receiver").count(), 0);
  });

  it("are shown but not changed where root names them, whom an administrator can test", async () => {
    const telemetry = { otlp: { url: `${hook?.url}` } };
    const roots = await startLightConsole(ending, () => start({ telemetry }));
    const page = await roots.browser.signedIn(roots.agent, "admin", section);
    const otlp = card(page, "OTLP collector");
    await sees(otlp, "From the host file. Only root can change it");
    assert.equal(await otlp.getByRole("button").count(), 1);
    assert.equal(await page.locator(".notifications .empty").count(), 0);
    received.splice(0);
    await press(page, "Send a test: otlp");
    await sees(otlp, /The test was/);
    assert.ok(received.length > 0, "the collector was asked");
    looks.keep(page, "notifications-of-root");
  });

  it("come into view from Home, with the keyboard on their head, and fit into 320 pixels", async () => {
    await change([]);
    const chromium = await startBrowser(ending);
    const page = await chromium.signedIn(agent, "admin", "/", { width: 320, height: 600 });
    await setUp(page).click();
    const head = page.getByRole("heading", { name: "Who is notified?" });
    await untilFocused(head);
    const add = page.getByRole("button", { name: "Add a receiver" });
    await add.waitFor();
    const { y = -1, height = 0 } = (await head.boundingBox()) ?? {};
    assert.ok(y >= 0 && y + height <= 600, "the head is in view");
    await add.press("Enter");
    await untilFocused(sheet(page).getByLabel("Name", { exact: true }));
    await assertFits(page);
    await page.keyboard.press("Escape");
    await untilFocused(add);
  });
});
