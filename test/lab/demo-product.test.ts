import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { compiledRun, type Run, startRun } from "../../lab/agents/make-run.ts";
import { requestText, sendRaw } from "../../lab/agents/raw-http.ts";
import { type Answer, adminName, adminPassword } from "../../lab/agents/running-agent.ts";
import { endOfSuite } from "../../lab/basics/ending.ts";
import { heldPort } from "../../lab/basics/held-ports.ts";
import { longSeconds, until } from "../../lab/basics/until.ts";

const opens = ["Sec-Fetch-Site: none", "Sec-Fetch-Mode: navigate", "Sec-Fetch-Dest: document"];
const script = ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: cors", "Sec-Fetch-Dest: empty"];
const foreign = "http://127.0.0.1:1";
const program = join(import.meta.dirname, "../../lab/run/demo-product/product.mjs");

/** The only answer to a request; status 0: the port does not answer. */
async function ask(port: number, line: string, headers: readonly string[]): Promise<Answer> {
  const { answers } = await sendRaw(requestText(line, headers), { port, expect: 1 });
  return answers[0] ?? { status: 0, headers: {}, text: "", json: undefined };
}

describe("the product of make run, which has no web server before it", () => {
  const ending = endOfSuite();
  let run: Run;
  let page: URL;
  let token: string;
  let refresh_token: string;
  let cookie: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  const api = async (path: string, body?: object): Promise<any> => {
    const headers = {
      "content-type": "application/json",
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const post = body && { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`${run.url}${path}`, { headers, ...post });
    assert.ok(answer.ok, `${path}: ${answer.status}`);
    return answer.status === 204 ? undefined : answer.json();
  };
  const asked = (line: string, headers: readonly string[]) => ask(Number(page.port), line, headers);

  before(async () => {
    run = await startRun(ending, { program: compiledRun });
    const [, setup_token] = /#setup=(\S+)/.exec(run.printed()) ?? [];
    const who = { username: adminName, password: adminPassword };
    await api("/api/setup", { ...who, setup_token });
    ({ access_token: token, refresh_token } = await api("/api/auth/login", who));
    const status = await api("/api/status");
    page = new URL(status.product.pages[0].url);
    await until("the product answers", async () => (await asked("GET /", [])).status !== 0);
  });

  it("leads a person to the sign-in, and nothing else", async () => {
    const { status, headers } = await asked("GET /a?b=c", opens);
    assert.deepEqual([status, headers.location], [302, `${run.url}/product/pump?to=/a?b=c`]);
    assert.deepEqual((await asked("GET /", script)).status, 401);
  });

  it("says who has signed in, behind the entrance of Steward's", async () => {
    const { location } = await api("/api/product/pages/pump/enter", { to: "/" });
    const [, code] = location.split(page.origin);
    const entered = await asked(`GET ${code}`, [...opens.slice(1), "Sec-Fetch-Site: same-site"]);
    assert.deepEqual([entered.status, entered.headers.location], [302, "/"]);
    cookie = `Cookie: ${String(entered.headers["set-cookie"]).split(";", 1)}`;
    const { status, text } = await asked("GET /", [...opens, cookie]);
    assert.equal(status, 200);
    assert.match(text, new RegExp(`<strong>${adminName}</strong>, admin`));
  });

  it("lets a program in by its token", async () => {
    const { token } = await api("/api/tokens", { name: "a program", scopes: ["product:use"] });
    assert.equal((await asked("GET /", [`Authorization: Bearer ${token}`])).status, 200);
  });

  it("refuses another origin's requests, whatever they say about themselves", async () => {
    for (const [line, ...headers] of [
      ["GET /", ...script, `Origin: ${foreign}`],
      ["POST /", ...script.slice(1)],
      ["POST /", "X-Original-Method: GET"],
      ["GET /pressure", "Upgrade: websocket", "Connection: Upgrade", `Origin: ${foreign}`],
    ] as const)
      assert.equal((await asked(line, [...headers, cookie])).status, 403, headers.join());
    assert.equal((await asked("POST /", [`Origin: ${page.origin}`, cookie])).status, 200);
  });

  it("has Steward say its alarm, and the end of it", async () => {
    const presses = async () => {
      const { status } = await asked("POST /alarm", [`Origin: ${page.origin}`, cookie]);
      assert.equal(status, 303);
    };
    const isSaid = async (): Promise<boolean> =>
      JSON.stringify((await api("/api/status")).needs).includes("The pressure is");
    assert.equal(await isSaid(), false);
    await presses();
    await until("the need is there", isSaid);
    await presses();
    await until("it has ended", async () => !(await isSaid()));
  });

  it("keeps a WebSocket open until the session ends, and opens none without one", async () => {
    const upgrade = { connection: "Upgrade", upgrade: "websocket", "sec-websocket-version": "13" };
    // RFC 6455 §1.3
    const key = { "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==" };
    const headers = { ...upgrade, ...key, origin: page.origin, cookie: cookie.slice("Cookie: ".length) };
    const asking = request(new URL("/pressure", page), { headers }).end();
    const upgraded = (await once(asking, "upgrade")) as [IncomingMessage, Socket, Buffer];
    const [response, socket, head] = upgraded;
    socket.unshift(head);
    assert.equal(response.headers["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
    const [first] = await once(socket, "data");
    // A whole text of eight bytes.
    assert.equal(first.toString("hex", 0, 2), "8108");
    assert.match(first.toString("utf8", 2), /^\d\.\d\d bar$/);
    const further = socket.toArray({ signal: AbortSignal.timeout(longSeconds * 1_000) });
    await api("/api/auth/logout", { refresh_token });
    const frames = Buffer.concat(await further);
    // A frame of two bytes that closes, with the code 1008.
    assert.equal(frames.subarray(-4).toString("hex"), "880203f0");
    const [refused] = await once(request(new URL("/pressure", page), { headers }).end(), "response");
    assert.equal(refused.statusCode, 401);
  });

  it("lets no one in without Steward", async () => {
    const [port, silent] = [await heldPort(), await heldPort()];
    const STEWARD = `http://127.0.0.1:${silent}`;
    const product = spawn(process.execPath, [program], {
      env: { STEWARD, WORD: `${program}/none`, PAGE: "pump", PORT: String(port) },
    });
    ending.after(async () => void product.kill());
    await until("it answers", async () => (await ask(port, "GET /", [])).status !== 0);
    for (const path of ["/", "/.steward/enter?code=a"])
      assert.equal((await ask(port, `GET ${path}`, opens)).status, 503);
  });
});
