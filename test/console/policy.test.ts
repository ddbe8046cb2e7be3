import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type RunningAgent, startAgentProcess } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { type ConsoleWindow, endOfConsole, startBrowser } from "../../lab/console/browser.ts";

/** The attempts of a script that was injected into the page. Runs in the page. */
const attacks: [name: string, violates: RegExp, attempt: () => unknown][] = [
  [
    "markup put into the page",
    /require-trusted-types-for/,
    () => {
      document.body.innerHTML = "<img src=x onerror=alert(1)>";
    },
  ],
  [
    "markup put beside something",
    /require-trusted-types-for/,
    () => document.body.insertAdjacentHTML("beforeend", "<b>there</b>"),
  ],
  [
    "a script made of text",
    /require-trusted-types-for|script-src/,
    () => {
      const script = document.createElement("script");
      script.text = "globalThis.broken = true";
      document.body.append(script);
    },
  ],
  [
    "a script from an address that the page makes up",
    /require-trusted-types-for|script-src/,
    () => {
      const script = document.createElement("script");
      script.src = "data:text/javascript,globalThis.broken=true";
      document.body.append(script);
    },
  ],
  [
    "text that is run",
    /require-trusted-types-for|script-src/,
    // By a timer of the page's: what the debugger runs itself may do so.
    // biome-ignore lint/security/noGlobalEval: it is what must not work
    () => void setTimeout(() => eval("globalThis.broken = true")),
  ],
  [
    "a function made of text",
    /require-trusted-types-for|script-src/,
    () => void setTimeout(() => new Function("globalThis.broken = true")()),
  ],
  [
    "what listens in an attribute",
    /require-trusted-types-for|script-src/,
    () => {
      const button = document.createElement("button");
      button.setAttribute("onclick", "globalThis.broken = true");
      document.body.append(button);
      button.click();
    },
  ],
  [
    "a policy of one's own for markup",
    /trusted-types/,
    () => {
      const { trustedTypes } = globalThis as unknown as {
        trustedTypes: { createPolicy(name: string, rules: object): unknown };
      };
      trustedTypes.createPolicy("default", {});
    },
  ],
  [
    "style written into an attribute",
    /style-src/,
    () => document.body.setAttribute("style", "background: url(//example.invalid/)"),
  ],
  [
    "a picture from elsewhere",
    /img-src/,
    () => {
      new Image().src = "http://example.invalid/secret.png";
    },
  ],
  ["a question to elsewhere", /connect-src/, () => fetch("http://example.invalid/secret")],
  [
    "a form that is sent elsewhere",
    /form-action/,
    () => {
      const form = document.createElement("form");
      form.action = "http://example.invalid/";
      document.body.append(form);
      form.submit();
    },
  ],
  [
    "a page within the page",
    /frame-src|default-src/,
    () => {
      const frame = document.createElement("iframe");
      frame.src = "http://example.invalid/";
      document.body.append(frame);
    },
  ],
  [
    "another base for addresses",
    /base-uri/,
    () => {
      const base = document.createElement("base");
      base.href = "http://example.invalid/";
      document.head.append(base);
    },
  ],
];

describe("the policy of the console's page", () => {
  const ending = endOfConsole();
  let agent: RunningAgent;
  let window: ConsoleWindow;
  before(async () => {
    agent = await startAgentProcess();
    ending.after(() => agent.dispose());
    window = await (await startBrowser(ending)).open(agent);
    await window.page.goto("/");
    await window.page.getByRole("heading", { level: 1 }).waitFor();
    assert.deepEqual(window.complaints, [], "the page alone violates nothing");
  });
  after(() => {
    window.complaints.length = 0;
    return window.context.close();
  });

  for (const [name, violates, attempt] of attacks) {
    it(`refuses ${name}, and reports it to the page's listeners`, async () => {
      const { page, complaints } = window;
      complaints.length = 0;
      // Most are refused by an error; what counts is that nothing came of it, and that it was heard.
      await page.evaluate(attempt).catch(() => undefined);
      await until(`${violates} is violated`, () => complaints.some((one) => violates.test(one)));
      const isBroken = await page.evaluate(() => "broken" in globalThis);
      assert.equal(isBroken, false, "what was tried did run");
    });
  }

  it("lets no page show it in a frame", async () => {
    const page = await window.context.newPage();
    await page.setContent(`<iframe src="${agent.url}/"></iframe>`);
    await until("the frame has come to something", () => page.frames().length === 2);
    const frame = page.frames()[1];
    await frame?.waitForLoadState("load");
    assert.notEqual(new URL(frame?.url() ?? "").origin, agent.url);
    assert.equal(await frame?.getByRole("heading").count(), 0);
    await page.close();
  });
});
