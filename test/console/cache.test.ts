import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { entryOf, forgetAll } from "../../src/console/client/cache.ts";
import { Entry } from "../../src/console/client/entry.ts";
import type { Updates, User } from "../../src/contract/types.ts";

// The build puts the routes in this place.
Object.assign(globalThis, { CONTRACT_ROUTES: { getMe: ["/auth/me"], getUpdates: ["/updates"] } });

/** An answer for each request, given when the test says so. */
function answering(test: TestContext): ((body: object) => void)[] {
  const waiting: ((body: object) => void)[] = [];
  test.mock.method(globalThis, "fetch", () => {
    const headers = { "content-type": "application/json", "x-request-id": "test" };
    return new Promise<Response>((resolve) => {
      waiting.push((body) => resolve(new Response(JSON.stringify(body), { headers })));
    });
  });
  return waiting;
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

describe("what the console has read", () => {
  const [anna, berta] = [{ username: "anna" } as User, { username: "berta" } as User];
  const me = () => entryOf("getMe", "{}");
  const known = (entry = me()) => entry.read.read().value;

  it("is forgotten with the user: the next one of the same page sees nothing of it", () => {
    const entry = me();
    const list = () => entryOf("listUsers", '{"query":{}}');
    entry.put(anna);
    list().put({ items: [anna], total: 1, next_cursor: null } as never);
    assert.equal(known(), anna);
    forgetAll();
    for (const read of [me().read.read(), list().read.read()]) {
      const { value, isLoading, etag, error } = read;
      assert.deepEqual([value, isLoading, etag, error], [null, true, null, null]);
    }
    // A part of the page that still holds the former entry shows nothing of it either.
    assert.equal(known(entry), null);
    assert.notEqual(me(), entry);
  });

  it("is forgotten when the session ends, in this tab or in another", async (test) => {
    // A channel of Node's own would keep this process from its end.
    const silent = { postMessage: () => undefined, addEventListener: () => undefined };
    const { BroadcastChannel } = globalThis;
    test.after(() => Object.assign(globalThis, { BroadcastChannel, localStorage: undefined }));
    Object.assign(globalThis, {
      BroadcastChannel: function channel() {
        return silent;
      },
      localStorage: { removeItem: () => undefined },
    });
    const { ended } = await import("../../src/console/session/session.ts");
    const entry = me();
    entry.put(anna);
    ended();
    assert.deepEqual([known(entry), known()], [null, null]);
  });

  it("is not brought back by an answer that was under way", async (test) => {
    const answers = answering(test);
    const entry = me();
    const reading = entry.reload();
    await turns();
    assert.equal(answers.length, 1);
    forgetAll();
    answers[0]?.(anna);
    await reading;
    assert.equal(known(entry), null);
    me().put(berta);
    assert.equal(known(), berta);
    forgetAll();
  });

  it("of updates follows a trial to its end, also where no event reaches it", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    Object.assign(globalThis, { document: { visibilityState: "visible" } });
    test.after(() => Reflect.deleteProperty(globalThis, "document"));
    const answers = answering(test);
    const end = new Entry("getUpdates", "{}").hold();
    // In trial it is read again, and while something is under way, and not when all is quiet.
    for (const [asked, trial, phase] of [
      [1, { phase: "confirming" }, "idle"],
      [2, null, "downloading"],
      [3, null, "idle"],
    ] as const) {
      await turns();
      assert.equal(answers.length, asked, phase);
      answers.at(-1)?.({ trial, progress: { phase } } as unknown as Updates);
      for (let turn = 0; turn < 10; turn += 1) await turns();
      test.mock.timers.tick(asked === 3 ? 3_600_000 : 3_000);
    }
    await turns();
    assert.equal(answers.length, 3);
    end();
  });
});
