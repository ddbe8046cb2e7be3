/** Another program below a path of the console's name, by one more location in the server block of docs/nginx.md. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { startAgentInProcess } from "../agents/agent-in-process.ts";
import { type Ending, endOfSuite, temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import { addUsers, names, signInByForm, untilShown } from "../console/browser.ts";
import { launchChromium } from "../console/launch.ts";
import { attackFrom, pagePath, pageText } from "../console/same-origin-page.ts";
import { nginxConfiguration, nginxProgram } from "./nginx-server.ts";
import { rowsOf, serving } from "./programs.ts";

const row = rowsOf("nginx-paths");

const recipe = readFileSync("docs/nginx.md", "utf8");

/** The page's certificate and server, at a port of this machine. The locations are the other program. */
async function startRecipe(test: Ending, agentUrl: string): Promise<string> {
  const [directory, port] = [await temporaryDirectory(test), await heldPort()];
  chmodSync(directory, 0o755);
  for (const name of ["tmp", "pump"]) mkdirSync(join(directory, name));
  writeFileSync(join(directory, "pump/index.html"), pageText, { mode: 0o644 });
  const [, command = "", server = ""] =
    /```sh appliance\n(.*?)```.*?```nginx\n(.*?)```/s.exec(recipe) ?? assert.fail("the recipe is another");
  const here = (text: string): string => text.replaceAll(/\/etc\/ssl\/(certs|private)/g, directory);
  execFileSync("sh", ["-ec", here(command)], { stdio: "ignore" });
  const policy = "add_header Cross-Origin-Opener-Policy same-origin;";
  const pump = `root ${directory}; default_type text/html; index index.html;`;
  const others = `location ${pagePath} { ${pump} }
    location = ${pagePath}opener { alias ${directory}/pump/index.html; default_type text/html; ${policy} }
    location = ${pagePath}server { default_type text/plain; return 200 "$http_cookie"; }`;
  const block = here(server)
    .replace("listen 443 ssl;", `listen 127.0.0.1:${port} ssl;`)
    .replace("listen [::]:443 ssl;", "")
    .replace("http://127.0.0.1:8470", agentUrl)
    .replace("location / {", `${others}\n  location / {`);
  const file = join(directory, "nginx.conf");
  writeFileSync(file, nginxConfiguration(directory, `access_log off; ${block}`));
  await serving(test, port, [nginxProgram(), "-p", directory, "-c", file]);
  return `https://127.0.0.1:${port}`;
}

describe("a page below a path of the console's name, behind nginx", () => {
  const ending = endOfSuite();
  let person: Page;
  let hostile: Page;
  before(async () => {
    const agent = await startAgentInProcess({ trustedProxies: ["127.0.0.1"] });
    ending.after(() => agent.dispose());
    await addUsers(agent);
    const baseURL = await startRecipe(ending, agent.url);
    const browser = await launchChromium(false, []);
    ending.after(() => browser.close());
    const context = await browser.newContext({ baseURL, ignoreHTTPSErrors: true });
    person = await context.newPage();
    hostile = await context.newPage();
    await signInByForm(person, "admin", "/account");
  });

  it("gets no administrator's token by what the browser stores", async () => {
    await hostile.goto(pagePath);
    const { status, token, ofDocuments } = await attackFrom(hostile);
    assert.deepEqual({ status, token, ofDocuments }, { status: 401, token: null, ofDocuments: [] });
    await signInByForm(person, "admin", "/account");
    await person.reload();
    await untilShown(person.getByRole("button", { name: `Your account: ${names.admin}` }));
    row("a page below a path", `refresh: ${status}, no token`);
  });

  // The recipe's warning is needed: a browser keeps programs of one name and port apart by nothing that these lack.
  it("gets one with an opener policy of its own, and its server the cookie: the recipe says not to do it", async () => {
    assert.match(recipe, /Never put another program below a path of this name/);
    await hostile.goto(`${pagePath}server`);
    assert.match(await hostile.locator("body").innerText(), /__Host-steward-refresh-[0-9a-f]{8}=str_/);
    await hostile.goto(`${pagePath}opener`);
    const { status, token } = await attackFrom(hostile);
    assert.deepEqual([status, typeof token], [200, "string"]);
    row("with an opener policy", `refresh: ${status}, a token`);
  });
});
