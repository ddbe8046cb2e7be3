import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { SignedIn } from "../../../lab/agents/checked-agent.ts";
import { adminName, adminPassword, type CallOptions, stepUp } from "../../../lab/agents/running-agent.ts";
import { startObservingAgent } from "../../../lab/agents/time-servers.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { stepUpSeconds } from "../../../src/accounts/sessions/step-up.ts";

const route = "/api/system/time-sync";

/** No server is asked for the time here: refusals come before that. Who may call at all is in the table of authorisation. */
describe("who may mend the clock, and with what words", () => {
  const time = standingTime();
  const agent = ofSuite(() => startObservingAgent({ mode: "manual" }, {}, { time }));
  const admin: SignedIn = ofSuite(() => agent.signedInAdmin());
  const operator = ofSuite(() => agent.signedIn("olga", "operator"));
  let program: string;
  before(async () => {
    const body = { name: "time", scopes: ["time:write"] };
    program = (await agent.call("POST", "/api/tokens", { token: admin.token, body })).json.token;
  });

  const sync = async (sent: CallOptions) => {
    const { status, json } = await agent.call("POST", `${route}/sync`, sent);
    return `${status} ${json?.code ?? json?.state}`;
  };
  const at = (milliseconds: number) => ({ time: new Date(milliseconds).toISOString() });
  const now = () => at(time.wall());
  const read = async () => await agent.read(route);
  const serverTime = async () => Date.parse((await read()).server_time);

  for (const [name, body] of [
    ["force", () => ({ force: true })],
    ["time", now],
  ] as const) {
    it(`${name}: no operator, no API token, no administrator who has not given the password lately`, async () => {
      assert.equal(await sync({ token: operator.token, body: body() }), "403 forbidden");
      assert.equal(await sync({ token: program, body: body() }), "403 token_not_allowed");
      const late = await agent.login(adminName, adminPassword);
      time.pass(stepUpSeconds);
      assert.equal(await sync({ token: late.token, body: body() }), "401 step_up_required");
      await stepUp(agent.call, admin.token, adminPassword);
    });
  }
  it("time: an administrator with the password given again, and local root; both together nobody", async () => {
    for (const who of [{ token: admin.token }, { local: true }]) {
      assert.equal(await sync({ ...who, body: now() }), "200 manual");
      assert.equal(await sync({ ...who, body: { force: true, ...now() } }), "400 validation_failed");
    }
  });
  it("force false is as if it were not given: it takes no administrator", async () => {
    for (const token of [operator.token, program])
      for (const body of [{ force: false }, {}, undefined])
        assert.equal(await sync({ token, body }), "409 time_sync_disabled");
  });
  it("a time that is none as RFC 3339 writes it, or is below the floor or beyond the ceiling, sets nothing", async () => {
    const floor = Date.parse((await read()).floor_at);
    for (const [given, refusal] of [
      ...["", "2026-11-20T14:03:00", "2026-02-30T00:00:00Z"].map((one) => [one, "400 validation_failed"]),
      ...["1970-01-01T00:00:00Z", at(floor - 1_000).time].map((one) => [one, "422 time_implausible"]),
      ["2099-01-01T00:00:00Z", "422 time_implausible"],
    ])
      assert.equal(await sync({ local: true, body: { time: given } }), refusal, given);
    assert.equal(Date.parse((await read()).floor_at), floor);
    assert.ok(Math.abs((await serverTime()) - time.wall()) < 50);
  });
  it("a time that is set, with its offset, moves what sign-in goes by and not this machine's clock", async () => {
    const [real, here] = [Date.now(), time.wall()];
    const ahead = at(here + 3 * 3_600_000).time.replace("Z", "+02:00");
    assert.equal(await sync({ local: true, body: { time: ahead } }), "200 manual");
    assert.ok(Math.abs((await serverTime()) - here - 3_600_000) < 50);
    const { source, trust, last_step } = await read();
    assert.deepEqual([source.type, trust, last_step], ["manual", "accepted", null]);
    assert.ok(Math.abs(Date.now() - real) < 60_000, "this machine's clock");
  });
});
