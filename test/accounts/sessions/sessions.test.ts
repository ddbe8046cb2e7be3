import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type StoredSession, sessionsKind } from "../../../src/accounts/sessions/session.ts";
import { sessionEvents } from "../../../src/accounts/sessions/session-events.ts";
import type { EventFacts } from "../../../src/journal/events/event.ts";
import { validatorOf } from "../../../src/store/documents/document-kind.ts";
import { ana, bob, context, inBody, reasonOf, sessionsAt, signedIn } from "../sessions-at.ts";

describe("a session", () => {
  it("ends an hour after its last refresh, and a day after it began whatever happens", async () => {
    const { time, refresh, refused, isAlive, ...first } = await signedIn();
    time.now += 3_599;
    assert.equal(isAlive(), true);
    let { session, refreshToken } = await refresh(first.refreshToken);
    for (let hour = 1; hour < 24; hour += 1) {
      time.now += 3_590;
      ({ session, refreshToken } = await refresh(refreshToken));
    }
    time.now = 1_000 + 86_400;
    assert.deepEqual([isAlive(session), await refused(refreshToken)], [false, "expired"]);
  });

  it("unused for an hour has ended", async () => {
    const { time, refused, isAlive } = await signedIn();
    time.now += 3_600;
    assert.deepEqual([isAlive(), await refused()], [false, "expired"]);
  });

  it("lives through a restart of the agent and not through a reboot", async () => {
    const { document, directory, time, session } = await signedIn();
    await document.close();
    assert.equal((await sessionsAt(time, { directory })).sessions.find(session.id)?.user_id, ana);
    const rebooted = await sessionsAt(time, { directory, bootId: "boot-2" });
    assert.equal(rebooted.sessions.find(session.id), undefined);
  });

  it("ends with all others of its user, or all but one, and leaves other users alone", async () => {
    const { sessions, session: first, isAlive } = await signedIn();
    const [second, other] = [sessions.open(ana, context).session, sessions.open(bob, context).session];
    const alive = () => [first, second, other].map(isAlive);
    await sessions.endAll(ana, second.id);
    assert.deepEqual(alive(), [false, true, true]);
    await sessions.endAll(ana);
    assert.deepEqual(alive(), [false, false, true]);
  });

  it("that was ended is gone from the disk when the end is acknowledged", async () => {
    const { sessions, document, directory, refreshToken } = await signedIn();
    const other = sessions.open(bob, context).session;
    await document.save();
    await sessions.close(inBody(refreshToken), context);
    const stored = JSON.parse(await readFile(join(directory, "sessions.json"), "utf8")).sessions;
    assert.deepEqual([stored.length, stored[0].id], [1, other.id]);
  });

  it("is at most one of ten of its user: the one longest unused makes room", async () => {
    const { sessions, time, told, refresh, session, isAlive } = await signedIn();
    const others = Array.from({ length: 9 }, () => {
      time.now += 1;
      return sessions.open(ana, context).session;
    });
    await refresh();
    time.now += 1;
    sessions.open(ana, context);
    assert.deepEqual([session, ...others.slice(0, 2)].map(isAlive), [true, false, true]);
    assert.deepEqual(told.ended, [`${others[0]?.id} replaced`], "its end is in the record");
  });
});

/** RFC 9700 §4.14.2: a used token came again. Its client is a laptop that slept, or somebody else who has a copy. */
describe("a refresh token whose exchange is repeated", () => {
  const v6 = (end: string) => ({ ...context, address: `2001:db8:1:${end}` });
  const [elsewhere, curl] = [
    { ...context, address: "192.0.2.8" },
    { ...context, userAgent: "curl" },
  ];
  const all = context;
  type Use = "nothing" | "access" | "old access" | "refresh";
  const [goesOn, ends] = [undefined, "revoked"];
  /** By whom it is exchanged first and again, after how long, and what of the first answer was used. */
  const rows: [string, typeof all, typeof all, seconds: number, Use, typeof goesOn | typeof ends][] = [
    ["at once", all, all, 0, "nothing", goesOn],
    ["at once, as a second page does", all, all, 1, "access", goesOn],
    ["after 12 s of sleep", all, all, 12, "nothing", goesOn],
    ["after a sleep, and its former access token was used", all, all, 12, "old access", goesOn],
    ["just before the unused session ends", all, all, 3_599, "nothing", goesOn],
    ["from the same /64", v6("2::5"), v6("2::9"), 0, "nothing", goesOn],
    ["from the same /64 after a sleep", v6("2::5"), v6("2:8:7:6:5"), 12, "nothing", goesOn],
    ["from another /64 of the site", v6("2::5"), v6("3::5"), 0, "nothing", ends],
    ["from another address of IPv4", all, elsewhere, 0, "nothing", ends],
    ["from another address after a sleep", all, elsewhere, 12, "nothing", ends],
    ["with another user agent", all, curl, 0, "nothing", ends],
    ["with another user agent after a sleep", all, curl, 12, "nothing", ends],
    ["when the answer's access token was used", all, all, 10, "access", ends],
    ["from the /64 when the access token was used", v6("2::5"), v6("2::9"), 10, "access", ends],
    ["when the answer's refresh token was used", all, all, 1, "refresh", ends],
    ["when both were used long ago", all, all, 1_800, "refresh", ends],
  ];
  for (const [name, first, again, seconds, use, outcome] of rows)
    it(`${name}: the session ${outcome === ends ? "ends (stolen token)" : "goes on"}`, async () => {
      const { sessions, told, time, isAlive } = await signedIn();
      const { session, refreshToken } = sessions.open(bob, first);
      const exchange = (token: string, by: typeof all) => sessions.refresh(inBody(token), by);
      time.now += 60;
      const lost = await exchange(refreshToken, first);
      if (use === "access") sessions.noteUse(lost.session, time.now);
      if (use === "old access") sessions.noteUse(lost.session, time.now - 60);
      if (use === "refresh") await exchange(lost.refreshToken, first);
      time.now += seconds;
      const repeated = exchange(refreshToken, again);
      assert.equal(await reasonOf(repeated), outcome);
      assert.deepEqual(told.reused, outcome === ends ? [session.id] : []);
      assert.equal(isAlive(session), outcome === goesOn);
      if (outcome === goesOn)
        assert.equal(await reasonOf(exchange((await repeated).refreshToken, again)), goesOn);
    });

  for (const first of ["the thief", "the owner"])
    it(`by two clients at one address, ${first} first, is seen when the other one's turn comes`, async () => {
      const { told, time, session, refresh, refused } = await signedIn();
      const one = await refresh();
      time.now += 30;
      const other = await refresh();
      assert.notEqual(other.refreshToken, one.refreshToken, "no two hold the same token");
      time.now += 900;
      if (first === "the owner") await refresh(other.refreshToken);
      assert.equal(await refused(one.refreshToken), "revoked");
      assert.equal(await refused(other.refreshToken), "expired");
      assert.deepEqual(told.reused, [session.id]);
    });

  it("goes on with another user agent where the token is a new one: a browser was updated", async () => {
    const { refresh, refreshToken } = await signedIn();
    const updated = { ...context, userAgent: "browser 2" };
    assert.equal((await refresh(refreshToken, updated)).session.user_agent, "browser 2");
  });
});

describe("a refresh token", () => {
  it("is exchanged once, and asked again within 10 s by the same client for the same answer", async () => {
    const { sessions, time, refreshToken, refresh } = await signedIn();
    const first = await refresh();
    assert.notEqual(first.refreshToken, refreshToken);
    sessions.noteUse(first.session, time.now);
    for (time.now = 1_001; time.now < 1_010; time.now += 1)
      assert.equal((await refresh()).refreshToken, first.refreshToken);
  });

  it("is exchanged again for the same answer where another session was exchanged in between", async () => {
    const { sessions, refresh } = await signedIn();
    const first = await refresh();
    await refresh(sessions.open(ana, context).refreshToken);
    assert.equal((await refresh()).refreshToken, first.refreshToken);
  });

  it("that never was is refused and ends nothing", async () => {
    const { sessions, refused, isAlive } = await signedIn();
    assert.equal(await refused("str_guessed"), "expired");
    await sessions.close(inBody("str_guessed"), context);
    assert.equal(isAlive(), true);
  });

  it("is on the disk as a hash only", async () => {
    const { document, refreshToken } = await signedIn();
    assert.ok(!JSON.stringify(document.read()).includes(refreshToken), "it is stored");
  });

  it("that is signed and newer than the stored session ends nothing: the agent was killed before it wrote", async () => {
    const { document, told, refresh, refused, isAlive } = await signedIn();
    const before = document.read();
    const newer = await refresh();
    await document.update(() => before);
    assert.equal(await refused(newer.refreshToken), "expired");
    assert.deepEqual([told.reused, isAlive()], [[], true]);
  });
});

describe("the sessions of a user", () => {
  it("are listed with the last used first, and counted with those of others", async () => {
    const time = { now: 1_000 };
    const { sessions } = await sessionsAt(time);
    const opened = [ana, bob, ana, ana].map((user) => {
      time.now += 1;
      return sessions.open(user, context);
    });
    const [first, others, second, third] = opened.map(({ session }) => session.id);
    time.now += 1;
    await sessions.refresh(inBody(opened[0]?.refreshToken ?? ""), context);
    const ids = (user: string) => sessions.list(user).map(({ id }) => id);
    assert.deepEqual([ids(ana), ids(bob), sessions.count()], [[first, third, second], [others], 4]);
  });
  it("end one by one, and only by the hand of their user", async () => {
    const { sessions, document, session: mine } = await signedIn();
    const other = sessions.open(ana, context).session;
    assert.equal(await sessions.endOne(bob, mine.id), false);
    assert.equal(await sessions.endOne(ana, `ses_${"0".repeat(32)}`), false);
    assert.equal(sessions.count(), 2);
    const found = [await sessions.endOne(ana, mine.id), await sessions.endOne(ana, mine.id)];
    assert.deepEqual(found, [true, false]);
    const left = document.read().sessions.map(({ id }) => id);
    assert.deepEqual(left, [other.id]);
  });
  it("keep no more of a browser's name than 256 characters, from the beginning", async () => {
    const { sessions } = await sessionsAt({ now: 1_000 });
    const client = { ...context, userAgent: `${"x".repeat(255)}yz` };
    const { refreshToken, session } = sessions.open(ana, client);
    const again = await sessions.refresh(inBody(refreshToken), client);
    for (const one of [session, again.session]) assert.equal(one.user_agent, `${"x".repeat(255)}y`);
  });
});

describe("the misuse of a session", () => {
  const session = { id: `ses_${"5".repeat(32)}`, user_id: ana } as StoredSession;
  const told = async (name: string | undefined, client: { address: string; requestId?: string }) => {
    const events: [string, EventFacts, string?][] = [];
    const sink = {
      record: async (facts: EventFacts) => void events.push(["recorded", facts]),
      refuse: (facts: EventFacts, code: string) => void events.push(["counted", facts, code]),
    };
    const { onReuse, onUnbound } = sessionEvents(sink as never, () => name);
    await onReuse(session, { ...context, ...client });
    onUnbound(session, { ...context, ...client });
    return events;
  };

  it("is recorded, or counted where a program can cause it as often as it likes, with who and whence", async () => {
    const [reused, unbound] = await told("ana", { address: "192.0.2.9", requestId: "r-7" });
    const facts = {
      ...{ subject: { id: ana, name: "ana" }, from: "192.0.2.9", requestId: "r-7" },
      ...{ actor: { kind: "agent", id: null, name: null }, details: { session: session.id } },
    };
    assert.deepEqual(reused, ["recorded", { ...facts, type: "session.reused" }]);
    assert.deepEqual(unbound, ["counted", { ...facts, type: "session.cookie_refused" }, "invalid_token"]);
  });
  it("is told of a user who is gone by the id, and without the request where there was none", async () => {
    for (const [, { subject, requestId }] of await told(undefined, { address: "local" }))
      assert.deepEqual([subject, requestId], [{ id: ana, name: ana }, null]);
  });
});

describe("the stored form of sessions", () => {
  const isValid = validatorOf(sessionsKind);
  it("is that of those that are opened, and no other", async () => {
    const { sessions } = await sessionsAt({ now: 1_000 });
    const { session } = sessions.open(ana, context);
    assert.equal(isValid({ sessions: [session] }).length, 0);
    assert.equal(isValid({ sessions: [{ ...session, binding_hash: null }] }).length, 0);
    for (const broken of [{}, { sessions: {} }, { sessions: [7] }, [], null])
      assert.notEqual(isValid(broken).length, 0, JSON.stringify(broken));
    const wrong: Partial<Record<keyof StoredSession, unknown>>[] = [
      ...[{ id: "7" }, { user_id: "ana" }, { boot_id: 7 }, { created_uptime: "1" }, { idle_deadline: null }],
      ...[{ absolute_deadline: "1" }, { refresh_hash: "x" }, { refresh_hash: `${"0".repeat(64)}0` }],
      ...[{ generation: -1 }, { generation: 0.5 }, { refresh_key: 7 }],
      ...[{ binding_hash: `x${"0".repeat(64)}` }],
      ...[{ unanswered_hash: "x" }, { rotated_uptime: "1" }, { address: 7 }, { user_agent: 7 }],
    ];
    for (const change of wrong)
      assert.notEqual(isValid({ sessions: [{ ...session, ...change }] }).length, 0, JSON.stringify(change));
    const needed = [
      ...["id", "user_id", "boot_id", "idle_deadline", "absolute_deadline", "refresh_hash", "generation"],
      ...["refresh_key", "binding_hash"],
    ];
    for (const member of needed) {
      const { [member as "id"]: _, ...less } = session;
      assert.notEqual(isValid({ sessions: [less] }).length, 0, member);
    }
  });
});
