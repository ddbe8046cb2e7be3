import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type StoredSession, sessionsKind } from "../../../src/accounts/sessions/session.ts";
import { sessionEvents } from "../../../src/accounts/sessions/session-events.ts";
import type { Sessions } from "../../../src/accounts/sessions/sessions.ts";
import type { EventFacts } from "../../../src/journal/events/event.ts";
import { validatorOf } from "../../../src/store/documents/document-kind.ts";
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
    const { sessions, told } = await sessionsAt(time);
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
    assert.deepEqual(told.ended, [`${opened[1]?.session.id} replaced`], "its end is in the record");
    assert.ok(sessions.find(opened[2]?.session.id ?? ""), "sessions.find(opened[2]?.session.id ?? '')");
  });
});

/** RFC 9700 §4.14.2: a used token came again. Its client is a laptop that slept, or somebody else who has a copy. */
describe("a refresh token whose exchange is repeated", () => {
  const v6 = (end: string) => ({ ...context, address: `2001:db8:1:${end}` });
  type Use = "nothing" | "access" | "old access" | "refresh";
  const [goesOn, ends] = [undefined, "revoked"];
  const rows: [
    name: string,
    first: typeof context,
    again: typeof context,
    seconds: number,
    use: Use,
    outcome: typeof goesOn | typeof ends,
  ][] = [
    ["at once", context, context, 0, "nothing", goesOn],
    ["at once, as a second page does", context, context, 1, "access", goesOn],
    ["after 12 s of sleep", context, context, 12, "nothing", goesOn],
    ["after a sleep, and its former access token was used", context, context, 12, "old access", goesOn],
    ["just before the unused session ends", context, context, 3_599, "nothing", goesOn],
    ["from the same /64", v6("2::5"), v6("2::9"), 0, "nothing", goesOn],
    ["from the same /64 after a sleep", v6("2::5"), v6("2:8:7:6:5"), 12, "nothing", goesOn],
    ["from another /64 of the site", v6("2::5"), v6("3::5"), 0, "nothing", ends],
    ["from another address of IPv4", context, { ...context, address: "192.0.2.8" }, 0, "nothing", ends],
    [
      "from another address after a sleep",
      context,
      { ...context, address: "192.0.2.8" },
      12,
      "nothing",
      ends,
    ],
    ["with another user agent", context, { ...context, userAgent: "curl" }, 0, "nothing", ends],
    [
      "with another user agent after a sleep",
      context,
      { ...context, userAgent: "curl" },
      12,
      "nothing",
      ends,
    ],
    ["when the answer's access token was used", context, context, 10, "access", ends],
    ["from the /64 when the access token was used", v6("2::5"), v6("2::9"), 10, "access", ends],
    ["when the answer's refresh token was used", context, context, 1, "refresh", ends],
    ["when both were used long ago", context, context, 1_800, "refresh", ends],
  ];
  for (const [name, first, again, seconds, use, outcome] of rows) {
    it(`${name}: the session ${outcome === ends ? "ends (stolen token)" : "goes on"}`, async () => {
      const time = { now: 1_000 };
      const { sessions, told } = await sessionsAt(time);
      const { session, refreshToken } = sessions.open(ana, first);
      time.now += 60;
      const lost = await sessions.refresh(inBody(refreshToken), first);
      if (use === "access") sessions.noteUse(lost.session, time.now);
      if (use === "old access") sessions.noteUse(lost.session, time.now - 60);
      if (use === "refresh") await sessions.refresh(inBody(lost.refreshToken), first);
      time.now += seconds;
      const repeated = sessions.refresh(inBody(refreshToken), again);
      assert.equal(await reasonOf(repeated), outcome);
      assert.deepEqual(told.reused, outcome === ends ? [session.id] : []);
      assert.equal(sessions.find(session.id) === undefined, outcome === ends);
      if (outcome === goesOn)
        assert.equal(await reasonOf(sessions.refresh(inBody((await repeated).refreshToken), again)), goesOn);
    });
  }

  for (const first of ["the thief", "the owner"]) {
    it(`by two clients at one address, ${first} first, is seen when the other one's turn comes`, async () => {
      const time = { now: 1_000 };
      const { sessions, told } = await sessionsAt(time);
      const { session, refreshToken } = sessions.open(ana, context);
      const one = await sessions.refresh(inBody(refreshToken), context);
      time.now += 30;
      const other = await sessions.refresh(inBody(refreshToken), context);
      assert.notEqual(other.refreshToken, one.refreshToken, "no two hold the same token");
      time.now += 900;
      if (first === "the owner") await sessions.refresh(inBody(other.refreshToken), context);
      assert.equal(await reasonOf(sessions.refresh(inBody(one.refreshToken), context)), "revoked");
      assert.equal(await reasonOf(sessions.refresh(inBody(other.refreshToken), context)), "expired");
      assert.deepEqual(told.reused, [session.id]);
    });
  }

  it("goes on with another user agent where the token is a new one: a browser was updated", async () => {
    const { sessions } = await sessionsAt({ now: 1_000 });
    const { refreshToken } = sessions.open(ana, context);
    const updated = { ...context, userAgent: "browser 2" };
    assert.equal((await sessions.refresh(inBody(refreshToken), updated)).session.user_agent, "browser 2");
  });
});

describe("a refresh token", () => {
  it("is exchanged once, and asked again within 10 s by the same client for the same answer", async () => {
    const time = { now: 1_000 };
    const { sessions } = await sessionsAt(time);
    const { refreshToken } = sessions.open(ana, context);
    const first = await sessions.refresh(inBody(refreshToken), context);
    assert.notEqual(first.refreshToken, refreshToken);
    sessions.noteUse(first.session, time.now);
    for (time.now = 1_001; time.now < 1_010; time.now += 1)
      assert.equal((await sessions.refresh(inBody(refreshToken), context)).refreshToken, first.refreshToken);
  });

  it("is exchanged again for the same answer where another session was exchanged in between", async () => {
    const { sessions } = await sessionsAt({ now: 1_000 });
    const [own, other] = [sessions.open(ana, context), sessions.open(ana, context)];
    const first = await sessions.refresh(inBody(own.refreshToken), context);
    await sessions.refresh(inBody(other.refreshToken), context);
    assert.equal(
      (await sessions.refresh(inBody(own.refreshToken), context)).refreshToken,
      first.refreshToken,
    );
  });

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
    const { sessions, document } = await sessionsAt({ now: 1_000 });
    const [mine, other] = [sessions.open(ana, context), sessions.open(ana, context)];
    assert.equal(await sessions.endOne(bob, mine.session.id), false);
    assert.equal(await sessions.endOne(ana, `ses_${"0".repeat(32)}`), false);
    assert.equal(sessions.count(), 2);
    assert.equal(await sessions.endOne(ana, mine.session.id), true);
    assert.equal(await sessions.endOne(ana, mine.session.id), false);
    const left = document.read().sessions.map(({ id }) => id);
    assert.deepEqual(left, [other.session.id]);
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

describe("a refresh token that is signed", () => {
  it("and newer than the stored session is refused and ends nothing: the agent was killed before it wrote", async () => {
    const { sessions, document, told } = await sessionsAt({ now: 1_000 });
    const { refreshToken, session } = sessions.open(ana, context);
    const before = document.read();
    const newer = await sessions.refresh(inBody(refreshToken), context);
    await document.update(() => before);
    assert.equal(await reasonOf(sessions.refresh(inBody(newer.refreshToken), context)), "expired");
    assert.deepEqual([told.reused, sessions.find(session.id)?.id], [[], session.id]);
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
      ...[
        { binding_hash: `x${"0".repeat(64)}` },
        { unanswered_hash: "x" },
        { rotated_uptime: "1" },
        { address: 7 },
        { user_agent: 7 },
      ],
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
