import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ana, bob, context } from "../accounts/sessions-at.ts";
import { changes, far, pump, script, type World, world } from "./visited-pages.ts";

/** Follows the sessions; `heard` gives the lines that came since it was asked last, once all is judged. */
function followed({ ended, judges }: World) {
  const lines: string[] = [];
  const stop = ended.follow(({ ended: id }) => lines.push(id));
  const heard = (): string[] => {
    for (const judge of judges) judge();
    return lines.splice(0);
  };
  return { stop, heard };
}

describe("the sessions that may no longer open a page of the product", () => {
  for (const [what, happen, verdict] of changes)
    for (const isBefore of [true, false])
      it(`are said once: ${what}, of a page opened ${isBefore ? "before" : "after"} the product follows`, async () => {
        const one = await world();
        if (isBefore) one.enter();
        const { heard } = followed(one);
        if (!isBefore) one.visits.check(pump, script, [one.enter()]);
        assert.deepEqual(heard(), []);
        await happen(one);
        assert.deepEqual(heard(), verdict === "visitor" ? [] : [one.session.id]);
        assert.deepEqual(heard(), []);
      });

  it("are said where one ends before anything was judged", async () => {
    const one = await world();
    const { heard } = followed(one);
    one.visits.check(pump, script, [one.enter()]);
    await one.sessions.endOne(ana, one.session.id);
    assert.deepEqual(heard(), [one.session.id]);
  });

  it("are said again once they may and may not, and once for two pages", async () => {
    const one = await world();
    const value = one.enter();
    one.enter(far);
    const { heard } = followed(one);
    const check = () => one.visits.check(pump, script, [value]);
    one.set({ role: "readonly" });
    assert.deepEqual(heard(), [one.session.id]);
    check();
    assert.deepEqual(heard(), [], "still refused");
    one.set({ role: "operator" });
    check();
    one.set({ enabled: false });
    assert.deepEqual(heard(), [one.session.id]);
  });

  it("are none that the product has not seen: one without a page, and one of too low a role", async () => {
    const one = await world();
    const value = one.enter();
    one.set({ role: "readonly" });
    const { heard } = followed(one);
    one.visits.check(pump, script, [value]);
    const { id } = one.sessions.open(bob, context).session;
    for (const [user, session] of [
      [ana, one.session.id],
      [bob, id],
    ] as const)
      assert.ok(await one.sessions.endOne(user, session));
    assert.deepEqual(heard(), []);
  });

  it("are said to each who follows, until they stop; after the last nothing is judged or kept", async () => {
    const one = await world();
    const value = one.enter();
    const [first, second] = [followed(one), followed(one)];
    assert.equal(one.judges.size, 1, "for both");
    first.stop();
    one.set({ enabled: false });
    assert.deepEqual([first.heard(), second.heard()], [[], [one.session.id]]);
    second.stop();
    second.stop();
    assert.equal(one.judges.size, 0);
    one.set({ enabled: true });
    one.visits.check(pump, script, [value]);
    one.set({ enabled: false });
    const third = followed(one);
    assert.deepEqual(third.heard(), [], "of what nobody followed");
    one.set({ enabled: true });
    one.visits.check(pump, script, [value]);
    third.stop();
    await one.sessions.endOne(ana, one.session.id);
    assert.deepEqual(followed(one).heard(), [], "of what ended since they stopped");
  });
});
