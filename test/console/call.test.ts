import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { call, lateWrite } from "../../src/console/client/call.ts";
import { isForeign } from "../../src/console/client/connection.ts";
import { Unreachable } from "../../src/console/client/problem.ts";

// The build puts the routes in this place.
Object.assign(globalThis, {
  CONTRACT_ROUTES: {
    getMe: ["/auth/me"],
    createUser: ["/users", "POST"],
    logout: ["/auth/logout", "POST", 1],
  },
});

const agents = { "content-type": "application/json", "x-request-id": "test" };
const json = (value: unknown): Response => new Response(JSON.stringify(value), { headers: agents });
const html = (status: number): Response =>
  new Response("<h1>Welcome to our network</h1>", { status, headers: { "content-type": "text/html" } });

/** Counts the requests, and has the test answer all but greetings; null: never. */
function answering(test: TestContext, answer: (path: string) => Response | null, greet = true) {
  const sent: string[] = [];
  const version = { device_name: "pump-7", version: "1.0.0", server_time: new Date().toISOString() };
  Object.assign(globalThis, { localStorage: { getItem: () => null, removeItem: () => undefined } });
  Object.assign(globalThis, { document: { documentElement: { style: { setProperty: () => undefined } } } });
  test.after(() => {
    for (const name of ["localStorage", "document"]) Reflect.deleteProperty(globalThis, name);
  });
  test.mock.method(globalThis, "fetch", (path: string, { method = "GET", signal }: RequestInit) => {
    if (path === "/api/console" && greet) return Promise.resolve(json(version));
    sent.push(`${method} ${path}`);
    const given = answer(path);
    if (given !== null) return Promise.resolve(given);
    return new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
  });
  return sent;
}

const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
};

/** By how each of them fails. */
const failure = (isWrite: boolean, isForeign: boolean) => (error: unknown) => {
  assert.ok(error instanceof Unreachable, String(error));
  assert.deepEqual({ ...error }, { isWrite, isForeign });
  return true;
};

describe("an answer that is not from the device", () => {
  const cut = new Response('{"username": "an', { headers: agents });
  for (const [what, answer] of [
    ["a proxy's page of 502", () => html(502)],
    ["a proxy's page of 504", () => html(504)],
    ["a captive portal's page", () => html(200)],
    ["a redirect", () => new Response(null, { status: 302, headers: { location: "/login" } })],
    ["JSON of another program", () => Response.json({ error: "sign in first" })],
    ["JSON of another program, refused", () => Response.json({ error: "sign in" }, { status: 401 })],
    ["nothing at all", () => new Response("")],
    ["an answer of the device that was cut short", () => cut.clone()],
    ["an answer of the device without its body", () => new Response("", { headers: agents })],
  ] as const)
    it(`is known as that: ${what}`, async (test) => {
      const sent = answering(test, answer);
      await assert.rejects(call("getMe"), failure(false, true));
      assert.equal(sent.length, 3, "a read is asked for again");
      sent.length = 0;
      await assert.rejects(call("createUser", { body: {} as never }), failure(true, true));
      assert.deepEqual(sent, ["POST /api/users"], "a write is sent once");
    });

  it("is looked behind until the device answers again", async (test) => {
    let isBetween = true;
    answering(
      test,
      (path) => {
        if (isBetween) return html(200);
        return path === "/api/console"
          ? json({ device_name: "", version: "1.0.0", server_time: new Date().toISOString() })
          : json({ username: "ana" });
      },
      false,
    );
    const reading = call("getMe");
    await turns();
    assert.equal(isForeign.read(), true);
    isBetween = false;
    assert.deepEqual(await reading, { username: "ana" });
    assert.equal(isForeign.read(), false);
  });
});

describe("a request without an answer", () => {
  it("is ended where it only reads, and given up after the third, where the device answers in between", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const sent = answering(test, () => null);
    const reading = assert.rejects(call("getMe"), failure(false, false));
    for (const count of [1, 2, 3]) {
      await turns();
      assert.equal(sent.length, count);
      test.mock.timers.tick(20_000);
    }
    await reading;
    assert.equal(lateWrite.read(), null);
  });

  it("is asked about where it changes something, sent once, and its answer is taken whenever it comes", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    let answer: (response: Response) => void = () => undefined;
    const sent = answering(test, () => new Promise<Response>((resolve) => (answer = resolve)) as never);
    const writing = call("createUser", { body: {} as never });
    for (const seconds of [20, 20]) {
      await turns();
      assert.equal(lateWrite.read(), null);
      test.mock.timers.tick(seconds * 1_000);
      lateWrite.read()?.wait();
    }
    test.mock.timers.tick(20_000);
    assert.notEqual(lateWrite.read(), null);
    answer(json({ id: "usr_1" }));
    assert.deepEqual(await writing, { id: "usr_1" });
    assert.equal(lateWrite.read(), null);
    assert.deepEqual(sent, ["POST /api/users"]);
  });

  it("is given up where the person wants to look, and it is not known whether it was done", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const sent = answering(test, () => null);
    const writing = assert.rejects(call("createUser", { body: {} as never }), failure(true, false));
    await turns();
    test.mock.timers.tick(20_000);
    lateWrite.read()?.giveUp();
    await writing;
    assert.equal(lateWrite.read(), null);
    assert.deepEqual(sent, ["POST /api/users"]);
  });

  it("is ended without a question where only the session's cookie is at stake", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    const sent = answering(test, () => null);
    const ending = assert.rejects(call("logout", { body: {} }), failure(true, false));
    await turns();
    test.mock.timers.tick(20_000);
    await ending;
    assert.equal(sent.length, 1);
  });
});
