import assert from "node:assert/strict";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { startAgentInProcess } from "../../lab/agents/agent-in-process.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";

const gate = "a text that only the page knows";

describe("the secret of a page of the product", () => {
  const later = join(scratchDirectory(), "gate");
  const agent = ofSuite(() => {
    const hostFile = join(scratchDirectory(), "steward.json");
    const title = { en: "Pump" };
    const page = {
      name: "pump",
      title,
      url: "https://edge-7.example.net:444",
      role: "admin",
      secret_file: later,
    };
    writeFileSync(
      hostFile,
      JSON.stringify({ product: { sign_in: "https://edge-7.example.net:8443", pages: [page] } }),
    );
    return startAgentInProcess({ arguments: ["--host-file", hostFile] });
  });

  it("lets no one in while it cannot be used, and is read again once it is right", async () => {
    const { token } = await agent.signedInAdmin();
    const { json } = await agent.call("POST", "/api/product/pages/pump/enter", { token, body: {} });
    const entrance = `/api/product/pages/pump/finish${new URL(json.location).search}`;
    const cookies = String((await agent.call("GET", entrance)).headers["set-cookie"]);
    const cookie = String(cookies.split(";", 1)[0]);
    const ask = (headers: Record<string, string>) =>
      agent.call("GET", "/api/product/pages/pump/check", {
        headers: { "x-original-method": "GET", "x-original-uri": "/", ...headers },
      });
    const put = (text: string, mode = 0o600) => {
      writeFileSync(later, text, { mode });
      chmodSync(later, mode);
    };
    for (const [what, make] of [
      ["absent", () => undefined],
      ["empty", () => put("\n")],
      ["open to all", () => put(gate, 0o604)],
      ["short", () => put("x".repeat(15))],
      ["two lines", () => put(`${gate}\r\nSteward-Role: admin`)],
      ["not ASCII", () => put(`${gate} ä`)],
      ["large", () => put("x".repeat(4_097))],
      ["a directory", () => mkdirSync(later)],
    ] as const) {
      make();
      const { status, headers } = await ask({ cookie });
      assert.deepEqual([status, headers["steward-user"]], [500, undefined], what);
      assert.equal((await ask({})).status, 401, "a stranger");
      rmSync(later, { recursive: true, force: true });
    }
    assert.ok(agent.log().includes(`${later} does not exist or is empty`), "the log says why");
    put(gate);
    const { status, headers } = await ask({ cookie });
    assert.deepEqual([status, headers["steward-gate"]], [204, gate]);
  });
});
