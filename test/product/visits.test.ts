import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Program } from "../../src/accounts/tokens/bearer.ts";
import { createVisits, type ProductPage, type Verdict } from "../../src/product/visits.ts";
import { bob, context } from "../accounts/sessions-at.ts";
import { changes, type Facts, far, opens, operator, pump, script, world } from "./visited-pages.ts";

const wordOf = (verdict: Verdict) => (typeof verdict === "object" ? "visitor" : verdict);

describe("the visitors of the product's pages", () => {
  for (const [what, happen, expected] of changes)
    it(`are judged anew at each request and at the way in: ${what}`, async () => {
      const one = await world();
      const value = one.enter();
      const code = one.visits.begin(pump, one.session);
      await happen(one);
      assert.equal(wordOf(one.visits.check(pump, script, [value])), expected);
      assert.equal(one.visits.finish(pump, code) !== undefined, expected === "visitor");
    });

  it("have one cookie a page: the next way in replaces it, and leaves the other page's", async () => {
    const { enter, visits } = await world();
    const [first, ofFar, second] = [enter(), enter(far), enter()];
    const verdictOf = (page: ProductPage, ...values: string[]) => wordOf(visits.check(page, script, values));
    assert.equal(verdictOf(pump, first), "unknown");
    assert.equal(verdictOf(pump, first, ofFar, second), "visitor");
    assert.equal(verdictOf(far, ofFar), "visitor");
  });

  it("cost nothing to look up where they are strangers, or come from elsewhere", async () => {
    const { sessions } = await world();
    const never = (): never => assert.fail("something is looked up");
    const security = () => never();
    const blind = { pages: [pump], accounts: { find: never }, security, uptime: () => 0, visited: never };
    const visits = createVisits({ ...blind, sessions: { ...sessions, find: never, ofPage: never } });
    assert.equal(visits.check(pump, opens, []), "unknown");
    assert.equal(visits.check(pump, { ...script, origin: "null" }, ["a.b"]), "foreign");
    assert.equal(visits.finish(pump, "a code that was never made"), undefined);
  });

  it("use a session by what they open or may change, and by nothing that they may not", async () => {
    for (const [what, page, request, isUse] of [
      ["a page", pump, opens, true],
      ["a form", pump, { ...opens, method: "POST", site: "same-origin" }, true],
      ["a script's request", pump, script, false],
      ["a foreign form", pump, { ...opens, method: "POST", site: "cross-site" }, false],
      ["a page that the role may not open", { ...pump, role: "admin" }, opens, false],
    ] as const) {
      const { enter, time, visits, session, sessions } = await world();
      const value = enter();
      time.now += 120;
      visits.check(page, request, [value]);
      const { idle_deadline } = sessions.find(session.id) ?? session;
      assert.equal(idle_deadline - session.idle_deadline, isUse ? 120 : 0, what);
    }
  });

  it("lose none of their codes to a person who begins many", async () => {
    const { visits, session, sessions } = await world();
    const other = visits.begin(far, sessions.open(bob, context).session);
    const codes = Array.from({ length: 64 }, () => visits.begin(pump, session));
    const opened = codes.map((code) => visits.finish(pump, code) !== undefined);
    assert.deepEqual(
      [opened.indexOf(true), opened.lastIndexOf(false)],
      [1, 0],
      "only the oldest of their own",
    );
    assert.ok(visits.finish(far, other), "another person's");
  });

  it("are refused a code for a page of a higher role, and a page that there is not", async () => {
    const { visits, session, set } = await world();
    set({ role: "readonly" });
    assert.throws(() => visits.begin(pump, session), { code: "forbidden" });
    assert.throws(() => visits.pageOf("constructor"), { code: "not_found" });
  });

  it("are also programs, by their owner's role and what the owner has to do first", async () => {
    const { visits } = await world();
    const judged = (role: Facts["role"], requiredAction: Program["requiredAction"] = null) =>
      wordOf(
        visits.checkProgram(pump, { account: { ...operator, role }, requiredAction, token: {} } as Program),
      );
    assert.deepEqual(
      ["readonly", "operator", "admin"].map((role) => judged(role as Facts["role"])),
      [...["role", "visitor", "visitor"]],
    );
    assert.equal(judged("admin", "password_change"), "unknown");
    assert.equal(judged("admin", "two_factor_enrolment"), "unknown");
  });

  it("are a program only at the pages that its token is bound to, and there by its owner's role", async () => {
    const { visits } = await world();
    const judged = (page: ProductPage, pages: readonly string[], role: Facts["role"] = "operator") =>
      wordOf(
        visits.checkProgram(page, {
          ...{ account: { ...operator, role }, requiredAction: null },
          token: { pages },
        } as unknown as Program),
      );
    assert.deepEqual([judged(pump, ["pump"]), judged(far, ["pump"])], ["visitor", "unknown"]);
    assert.deepEqual([judged(pump, ["far", "pump"]), judged(far, ["far", "pump"])], ["visitor", "visitor"]);
    for (const pages of [[], ["pum"], ["pump "], ["constructor"]])
      assert.equal(judged(pump, pages), "unknown", String(pages));
    assert.equal(judged(pump, ["pump"], "readonly"), "role");
  });
});
