import assert from "node:assert/strict";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { outcome, startAgentProcess } from "../../lab/agents/running-agent.ts";
import { endOfSuite, temporaryDirectory } from "../../lab/basics/ending.ts";
import { until } from "../../lab/basics/until.ts";

const root = join(import.meta.dirname, "../..");

/** Texts that only this code has: places of the outbox, the product's socket, and oauth4webapi. */
const marks = {
  "outbox.ts": "The receiver did not answer within",
  "webhook.ts": "does not answer so: check the address",
  "mail.ts": "Not mailed: all of it came and went",
  "product-lines.ts": "End each line with a line feed within",
  // Only the library reads this member of the discovery.
  oauth4webapi: "authorization_response_iss_parameter_supported",
};

/** Has each part of the program with such code leave a file behind as soon as it is loaded. */
function markedParts(program: string): (name: keyof typeof marks) => boolean {
  const parts = join(program, "parts");
  const markOf = (name: string) => join(program, `loaded-${name}`);
  for (const [name, text] of Object.entries(marks)) {
    const found = readdirSync(parts).filter(
      (part) => part.endsWith(".js") && readFileSync(join(parts, part), "utf8").includes(text),
    );
    assert.ok(found.length > 0, `${name}: no part has it`);
    for (const part of found) {
      const [head = "", ...body] = readFileSync(join(parts, part), "utf8").split("{");
      const marking = `require("node:fs").writeFileSync(${JSON.stringify(markOf(name))},"");`;
      writeFileSync(join(parts, part), `${head}{${marking}${body.join("{")}`);
    }
  }
  return (name) => existsSync(markOf(name));
}

describe("the built program", () => {
  const suite = endOfSuite();

  it("loads no code of a provider or a unit of the product that is not named, nor of the outbox until a receiver is, and of a kind until it has a message", async () => {
    const directory = await temporaryDirectory(suite);
    const program = join(directory, "program");
    symlinkSync(join(root, "node_modules"), join(directory, "node_modules"));
    cpSync(join(root, "dist"), program, { recursive: true });
    const isLoaded = markedParts(program);
    const agent = await startAgentProcess({ program: [join(program, "main.js")] });
    suite.after(() => agent.dispose());
    await agent.signedInAdmin();
    const begun = agent.call("POST", "/api/auth/provider/begin", { body: { origin: agent.url } });
    assert.equal(await outcome(begun), "404 not_found");
    assert.equal(isLoaded("oauth4webapi"), false);
    assert.equal(isLoaded("product-lines.ts"), false);
    const put = async (notify: object) => {
      const { status, text } = await agent.call("PUT", "/api/system", { local: true, body: { notify } });
      assert.equal(status, 200, text);
    };
    // A change of other settings of notifications, a look at the receivers, and the moment at which one would be begun.
    await put({ receivers: [] });
    const start = process.hrtime.bigint();
    await until("messages would be sent by now", async () => {
      const { json } = await agent.call("GET", "/api/notifications", { local: true });
      assert.deepEqual(json, { receivers: [] });
      return process.hrtime.bigint() - start > 4_000_000_000n;
    });
    assert.equal(isLoaded("outbox.ts"), false);
    await put({
      receivers: [{ name: "alerts", kind: "webhook", url: "https://alerts.example/", takes: "all" }],
    });
    await until("it is loaded", () => isLoaded("outbox.ts"));
    assert.equal(isLoaded("webhook.ts"), false, "it has no secret yet");
    const { status } = await agent.call("PUT", "/api/notifications/alerts/secret", { local: true, body: {} });
    assert.equal(status, 200);
    await until("its kind is loaded", () => isLoaded("webhook.ts"));
    assert.equal(isLoaded("mail.ts"), false, "no receiver is a mailbox");
  });
});
