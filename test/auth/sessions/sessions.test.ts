import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Sessions } from "../../../src/auth/sessions/sessions.ts";
import { ana, bob, context, inBody, reasonOf, sessionsAt } from "../sessions-at.ts";

describe("a session", () => {
  it("ends an hour after its last refresh, and a day after it began whatever happens", async () => {
    const time = { now: 1_000 };
    const { sessions } = await sessionsAt(time);
    let { session, refreshToken } = sessions.open(ana, context);
    time.now += 3_599;
    assert.ok(sessions.find(session.id), "sessions.find(session.id)");
    ({ session, refreshToken } = await sessions.refresh(inBody(refreshToken), context));
    for (let hour = 1; hour < 24; hour += 1) {
      time.now += 3_590;
      ({ session, refreshToken } = await sessions.refresh(inBody(refreshToken), context));
    }
    time.now = 1_000 + 86_400;
    assert.equal(sessions.find(session.id), undefined);
    assert.equal(await reasonOf(sessions.refresh(inBody(refreshToken), context)), "expired");
  });

  it("unused for an hour has ended", async () => {
    const time = { now: 1_000 };
    const { sessions } = await sessionsAt(time);
    const { session, refreshToken } = sessions.open(ana, context);
    time.now += 3_600;
    assert.equal(sessions.find(session.id), undefined);
    assert.equal(await reasonOf(sessions.refresh(inBody(refreshToken), context)), "expired");
  });

  it("lives through a restart of the agent and not through a reboot", async () => {
    const time = { now: 1_000 };
    const before = await sessionsAt(time);
    const { session } = before.sessions.open(ana, context);
    await before.document.close();
    const restarted = await sessionsAt(time, { directory: before.directory });
    assert.equal(restarted.sessions.find(session.id)?.user_id, ana);
    const rebooted = await sessionsAt(time, { directory: before.directory, bootId: "boot-2" });
    assert.equal(rebooted.sessions.find(session.id), undefined);
  });

  it("ends with all others of its user, or all but one, and leaves other users alone", async () => {
    const { sessions } = await sessionsAt({ now: 1_000 });
    const [first, second, other] = [ana, ana, bob].map((user) => sessions.open(user, context).session);
    await sessions.endAll(ana, second?.id);
    assert.deepEqual(alive(sessions, [first, second, other]), [false, true, true]);
    await sessions.endAll(ana);
    assert.deepEqual(alive(sessions, [first, second, other]), [false, false, true]);
  });

  it("that was ended is gone from the disk when the end is acknowledged", async () => {
    const { sessions, document, directory } = await sessionsAt({ now: 1_000 });
    const { session, refreshToken } = sessions.open(ana, context);
    const other = sessions.open(bob, context);
    await document.save();
    await sessions.close(inBody(refreshToken), context);
    const stored = JSON.parse(await readFile(join(directory, "sessions.json"), "utf8"));
    assert.deepEqual(
      stored.sessions.map(({ id }: { id: string }) => id),
      [other.session.id],
      `${session.id} was signed out`,
    );
  });

  it("is at most one of ten of its user: the one longest unused makes room", async () => {
    const time = { now: 1_000 };
    const { sessions } = await sessionsAt(time);
    const opened = [];
    for (let count = 0; count < 10; count += 1) {
      time.now += 1;
      opened.push(sessions.open(ana, context));
    }
    const refreshed = await sessions.refresh(inBody(opened[0]?.refreshToken ?? ""), context);
    time.now += 1;
    sessions.open(ana, context);
    assert.ok(sessions.find(refreshed.session.id), "the one in use stays");
    assert.equal(sessions.find(opened[1]?.session.id ?? ""), undefined);
    assert.ok(sessions.find(opened[2]?.session.id ?? ""), "sessions.find(opened[2]?.session.id ?? '')");
  });
});

describe("a refresh token", () => {
  it("is exchanged once, and the exchange may be repeated twice within 10 s by the same caller", async () => {
    const time = { now: 1_000 };
    const { sessions } = await sessionsAt(time);
    const { session, refreshToken } = sessions.open(ana, context);
    const first = await sessions.refresh(inBody(refreshToken), context);
    assert.notEqual(first.refreshToken, refreshToken);
    time.now += 9;
    assert.equal((await sessions.refresh(inBody(refreshToken), context)).refreshToken, first.refreshToken);
    assert.equal((await sessions.refresh(inBody(refreshToken), context)).refreshToken, first.refreshToken);
    assert.equal(await reasonOf(sessions.refresh(inBody(refreshToken), context)), "revoked");
    assert.equal(sessions.find(session.id), undefined, "reuse ends the session");
  });

  const thieves: [string, number, { address: string; userAgent: string }][] = [
    ["later than 10 s", 10, context],
    ["from another address", 1, { ...context, address: "203.0.113.9" }],
    ["with another user agent", 1, { ...context, userAgent: "curl" }],
  ];
  for (const [when, seconds, caller] of thieves) {
    it(`used again ${when} ends the session (stolen token)`, async () => {
      const time = { now: 1_000 };
      const { sessions } = await sessionsAt(time);
      const { refreshToken } = sessions.open(ana, context);
      const successor = await sessions.refresh(inBody(refreshToken), context);
      time.now += seconds;
      assert.equal(await reasonOf(sessions.refresh(inBody(refreshToken), caller)), "revoked");
      assert.equal(await reasonOf(sessions.refresh(inBody(successor.refreshToken), context)), "expired");
    });
  }

  it("that never was is refused and ends nothing", async () => {
    const { sessions } = await sessionsAt({ now: 1_000 });
    const { session } = sessions.open(ana, context);
    assert.equal(await reasonOf(sessions.refresh(inBody("str_guessed"), context)), "expired");
    await sessions.close(inBody("str_guessed"), context);
    assert.ok(sessions.find(session.id), "sessions.find(session.id)");
  });

  it("is on the disk as a hash only", async () => {
    const { sessions, document } = await sessionsAt({ now: 1_000 });
    const { refreshToken } = sessions.open(ana, context);
    assert.ok(
      !JSON.stringify(document.read()).includes(refreshToken),
      "!JSON.stringify(document.read()).includes(refreshToken)",
    );
  });
});

function alive(sessions: Sessions, all: ({ id: string } | undefined)[]): boolean[] {
  return all.map((one) => sessions.find(one?.id ?? "") !== undefined);
}
