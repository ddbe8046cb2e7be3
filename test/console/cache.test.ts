import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { entryOf, forgetAll } from "../../src/console/client/cache.ts";
import { Entry } from "../../src/console/client/entry.ts";
import type { Updates, User } from "../../src/contract/types.ts";

// The build puts the routes in this place.
Object.assign(globalThis, { CONTRACT_ROUTES: { getMe: ["/api/auth/me"], getUpdates: ["/api/updates"] } });

/** An answer for each request, given when the test says so. */
function answering(test: TestContext): ((body: object) => void)[] {
  const waiting: ((body: object) => void)[] = [];
  test.mock.method(globalThis, "fetch", () => {
    const headers = { "content-type": "application/json" };
    return new Promise<Response>((resolve) => {
      waiting.push((body) => resolve(new Response(JSON.stringify(body), { headers })));
    });
  });
  return waiting;
}

const turns = () => new Promise((resolve) => setImmediate(resolve));

describe("what the console has read", () => {
  const [anna, berta] = [{ username: "anna" } as User, { username: "berta" } as User];

  it("is forgotten with the user: the next one of the same page sees nothing of it", () => {
    const entry = entryOf("getMe", "{}");
    const list = entryOf("listUsers", '{"query":{}}');
    entry.put(anna);
    list.put({ items: [anna], total: 1, next_cursor: null } as never);
    assert.equal(entryOf("getMe", "{}").read.read().value, anna);
    forgetAll();
    for (const [id, input] of [
      ["getMe", "{}"],
      ["listUsers", '{"query":{}}'],
    ] as const) {
      const { value, isLoading, etag, error } = entryOf(id, input).read.read();
      assert.deepEqual([value, isLoading, etag, error], [null, true, null, null], id);
    }
    // A part of the page that still holds the former entry shows nothing of it either.
    assert.equal(entry.read.read().value, null);
    assert.notEqual(entryOf("getMe", "{}"), entry);
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
    const entry = entryOf("getMe", "{}");
    entry.put(anna);
    ended();
    assert.equal(entry.read.read().value, null);
    assert.equal(entryOf("getMe", "{}").read.read().value, null);
  });

  it("is not brought back by an answer that was under way", async (test) => {
    const answers = answering(test);
    const entry = entryOf("getMe", "{}");
    const reading = entry.reload();
    await turns();
    assert.equal(answers.length, 1);
    forgetAll();
    answers[0]?.(anna);
    await reading;
    assert.equal(entry.read.read().value, null);
    const next = entryOf("getMe", "{}");
    next.put(berta);
    assert.equal(next.read.read().value, berta);
    forgetAll();
  });
});

describe("the page of updates", () => {
  it("follows a trial to its end, also where no event reaches it", async (test) => {
    test.mock.timers.enable({ apis: ["setTimeout"] });
    Object.assign(globalThis, { document: { visibilityState: "visible" } });
    test.after(() => Reflect.deleteProperty(globalThis, "document"));
    const answers = answering(test);
    const updates = (trial: object | null, phase = "idle") =>
      ({ trial, progress: { phase } }) as unknown as Updates;
    const entry = new Entry("getUpdates", "{}");
    const end = entry.hold();
    const answered = async (value: Updates) => {
      await turns();
      const asked = answers.length;
      answers.at(-1)?.(value);
      for (let turn = 0; turn < 10; turn += 1) await turns();
      return asked;
    };
    assert.equal(await answered(updates({ phase: "confirming" })), 1);
    test.mock.timers.tick(3_000);
    assert.equal(await answered(updates(null, "downloading")), 2, "in trial it is read anew");
    test.mock.timers.tick(3_000);
    assert.equal(await answered(updates(null)), 3, "and while something is under way");
    test.mock.timers.tick(3_600_000);
    await turns();
    assert.equal(answers.length, 3, "and not when all is quiet");
    end();
  });
});
