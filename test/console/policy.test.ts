import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { type RunningAgent, startAgentProcess } from "../../lab/agents/running-agent.ts";
import { until } from "../../lab/basics/until.ts";
import { type ConsoleWindow, endOfConsole, startBrowser } from "../../lab/console/browser.ts";

const types = /require-trusted-types-for/;
const script = /require-trusted-types-for|script-src/;
const elsewhere = "http://example.invalid/";
const broken = "globalThis.broken = true";
const made = (tag: string) => `const made = document.createElement("${tag}");`;
const put = "document.body.append(made)";

/** The attempts of a script that was injected into the page, as its text. Text is run by a timer of the page's: the debugger may. */
const attacks: readonly [name: string, violates: RegExp, attempt: string][] = [
  ["markup put into the page", types, 'document.body.innerHTML = "<img src=x onerror=alert(1)>"'],
  ["markup put beside something", types, 'document.body.insertAdjacentHTML("beforeend", "<b>there</b>")'],
  ["a script made of text", script, `${made("script")} made.text = "${broken}"; ${put}`],
  [
    "a script from an address that the page makes up",
    script,
    `${made("script")} made.src = "data:text/javascript,${broken}"; ${put}`,
  ],
  ["text that is run", script, `setTimeout(() => eval("${broken}"))`],
  ["a function made of text", script, `setTimeout(() => new Function("${broken}")())`],
  [
    "what listens in an attribute",
    script,
    `${made("button")} made.setAttribute("onclick", "${broken}"); ${put}; made.click()`,
  ],
  ["a policy of one's own for markup", /trusted-types/, 'trustedTypes.createPolicy("default", {})'],
  [
    "style written into an attribute",
    /style-src/,
    `document.body.setAttribute("style", "top: url(${elsewhere})")`,
  ],
  ["a picture from elsewhere", /img-src/, `new Image().src = "${elsewhere}secret.png"`],
  ["a question to elsewhere", /connect-src/, `fetch("${elsewhere}secret")`],
  [
    "a form that is sent elsewhere",
    /form-action/,
    `${made("form")} made.action = "${elsewhere}"; ${put}; made.submit()`,
  ],
  ["a page within the page", /frame-src|default-src/, `${made("iframe")} made.src = "${elsewhere}"; ${put}`],
  [
    "another base for addresses",
    /base-uri/,
    `${made("base")} made.href = "${elsewhere}"; document.head.append(made)`,
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
    ending.after(async () => void window.complaints.splice(0));
  });

  for (const [name, violates, attempt] of attacks) {
    it(`refuses ${name}, and reports it to the page's listeners`, async () => {
      const { page, complaints } = window;
      complaints.length = 0;
      // Most are refused by an error; what counts is that nothing came of it, and that it was heard.
      await page.evaluate(`{ ${attempt} }`).catch(() => undefined);
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
