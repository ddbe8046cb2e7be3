import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { openStream } from "../../../lab/agents/stream-reader.ts";
import { endOfSuite, ofSuite } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { startPublisher, startUpdatingAgent } from "./updating-agent.ts";

describe("updates of an agent whose server signs", () => {
  const ending = endOfSuite();
  const publisher = ofSuite(() => startPublisher(ending));
  const agent = ofSuite(() => startUpdatingAgent());
  const admin = ofSuite(() => agent.signedInAdmin());

  const post = (path: string, body: object, { token } = admin) =>
    agent.call("POST", `/api/updates/${path}`, { token, body });

  it("are not looked for without a server, nor without a root of trust, and the server hears nothing", async () => {
    assert.equal(await outcome(post("check", {})), "409 update_not_configured");
    await agent.set({ server: publisher.server.origin });
    assert.equal(await outcome(post("check", {})), "409 update_trust_not_established");
    assert.deepEqual(publisher.server.requests, []);
  });

  it("go by the root that root has installed, and whose fingerprint an administrator confirms who gave the password", async () => {
    await agent.install(publisher.repository.metadata("1.root"));
    const { fingerprint } = publisher;
    const trustNow = async () => {
      const { installed, confirmed, proven, established, ...trust } = (await agent.status()).trust;
      return [trust.fingerprint === fingerprint, installed, confirmed, proven, established];
    };
    assert.deepEqual(await trustNow(), [true, true, false, false, false]);
    const other = post("trust", { fingerprint: "0".repeat(64) });
    assert.equal(await outcome(other), "400 validation_failed");
    const careless = { ...(await agent.signedIn("careless", "admin")), password: goodPassword };
    const { recoveryCodes } = await enrol(agent.call, careless, agent.nowSeconds());
    const body = { username: "careless", password: goodPassword, recovery_code: recoveryCodes[0] };
    const { access_token: token } = (await agent.call("POST", "/api/auth/login", { body })).json;
    assert.equal(await outcome(post("trust", { fingerprint }, { ...admin, token })), "401 step_up_required");
    assert.deepEqual(await trustNow(), [true, true, false, false, false]);
    const { trust } = (await post("trust", { fingerprint })).json;
    assert.deepEqual([trust.confirmed, trust.confirmed_by], [true, "root-admin"]);
  });

  it("are looked for on request, after which the trust is established; the stream shows how far it is", async () => {
    const open = (query = "") => {
      const path = `/api/events/stream${query}`;
      return openStream({ where: agent.port, token: admin.token, path });
    };
    const [stream, narrow] = [await open(), await open("?type=update.check_requested")];
    const { schedule, trust } = await agent.check();
    assert.deepEqual([schedule.last_check?.outcome, schedule.last_check?.detail], ["ok", null]);
    assert.deepEqual([trust.proven, trust.established, trust.status.code], [true, true, "established"]);
    assert.ok(await stream.until(3), "two of progress and one event");
    const progress = stream.messages.filter(({ event }) => event === "progress");
    const phases = progress.map(({ data }) => data.phase);
    assert.deepEqual([phases[0], phases.at(-1)], ["checking", "idle"]);
    assert.doesNotMatch(stream.text().split("event: progress")[0]?.split("\n\n").at(-1) ?? "", /^id:/m);
    assert.ok(await narrow.until(1), "the event came");
    const kinds = narrow.messages.map(({ event }) => event);
    assert.deepEqual(kinds, ["event"]);
    for (const one of [stream, narrow]) one.close();
    assert.equal(await outcome(post("check", {})), "429 rate_limited", "within ten seconds");
  });

  it("have a status that says which check it is of: the id is in the answer that began the check", async () => {
    await agent.restFromChecks();
    const { check_id } = (await post("check", {})).json.schedule;
    assert.match(check_id, /^chk_[0-9a-f]{32}$/);
    await until("the check has ended", async () => (await agent.status()).schedule.check_id === undefined);
    assert.equal((await agent.status()).schedule.last_check?.id, check_id);
    assert.equal((await agent.read("/api/status")).updates.last_check.id, check_id);
  });

  it("of a directory are checked and applied only for root on the device: 403", async () => {
    for (const [verb, body] of [
      ["check", {}],
      ["apply", { kind: "rules" }],
    ] as const) {
      const { status, json } = await post(verb, { ...body, repository: "file:///media/stick" });
      assert.deepEqual([status, json.code], [403, "forbidden"]);
      assert.match(json.detail, new RegExp(`steward update ${verb} --repo DIR`));
    }
  });

  it("of a rule that is new are fetched and verified, and lie on the device", async () => {
    const { path } = publisher.repository.addRelease({ version: "1.1.0" });
    publisher.repository.publish("rules");
    const { state, available } = await agent.check();
    assert.deepEqual([state, available.rules?.version, available.rules?.path], ["staged", "1.1.0", path]);
    assert.deepEqual([available.rules?.staged, available.rules?.hold?.code], [true, "not_configured"]);
  });

  it("say to the server who asks: program, version, product and processor", () => {
    const agents = new Set(publisher.server.requests.map(({ headers }) => String(headers["user-agent"])));
    const [said = "", ...others] = agents;
    assert.deepEqual(others, []);
    assert.match(said, /^Steward\/\d+\.\d+\.\d+\S* \(demo; \w+\)$/);
    assert.ok(said.endsWith(`; ${process.arch})`), said);
  });

  it("say nothing of the releases before a setting has them say it, with the timestamp alone", async () => {
    const reports = () =>
      publisher.server.requests.filter(({ headers }) => headers["steward-report"] !== undefined);
    assert.deepEqual(reports(), []);
    await agent.set({ report: true });
    await agent.check();
    await agent.set({ report: false });
    const [told, ...others] = reports();
    assert.deepEqual([told?.path, others.length], ["metadata/timestamp.json", 0]);
    assert.match(
      String(told?.headers["steward-report"]),
      /^steward\/\d\S*;v=1, product\/demo, rules\/\S+\/1\.1\.0;state=staged;wave=\d+\.\d{3};device=d[0-9a-f]{12}$/,
    );
  });

  it("where nothing is new take two requests, the next root and the timestamp, and less than a kilobyte", async () => {
    publisher.server.repent();
    const before = publisher.server.requests.length;
    const { last_check } = (await agent.check()).schedule;
    const paths = publisher.server.requests.slice(before).map(({ path }) => path);
    assert.deepEqual(paths, ["metadata/2.root.json", "metadata/timestamp.json"]);
    assert.deepEqual([last_check?.outcome, last_check?.requests], ["ok", 2]);
    assert.ok((last_check?.body_bytes ?? Number.NaN) <= 1_024, `${last_check?.body_bytes} bytes`);
  });

  it("say which server a check has failed at, to every role", async () => {
    await publisher.server.close();
    const { last_check } = (await agent.check()).schedule;
    assert.match(last_check?.detail ?? "", new RegExp(String(publisher.server.port)));
    const { token } = await agent.signedIn("reader", "readonly");
    const { schedule } = (await agent.call("GET", "/api/updates", { token })).json;
    assert.deepEqual([schedule.server, schedule.last_check], [publisher.server.origin, last_check]);
  });
});

describe("an update server on this very device", () => {
  const ending = endOfSuite();
  const publisher = ofSuite(() => startPublisher(ending));
  const agent = ofSuite(() => {
    const settings = { update: { ota: { server: publisher.server.origin } } };
    return startUpdatingAgent({ host: { update: {} }, settings, hasTime: false });
  });

  it("is neither set nor asked where the host file does not allow it, and else the settings can be changed", async () => {
    await agent.install(publisher.repository.metadata("1.root"));
    const body = { update: { ota: { server: "http://127.0.0.1:8080" } } };
    const { json } = await agent.call("PUT", "/api/system", { local: true, body });
    assert.deepEqual([json.code, json.errors[0].pointer], ["validation_failed", "/update/ota/server"]);
    assert.match(json.detail, /update\.allow_local_servers in the host file/);
    await agent.set({ check_interval: "12h" });
    const { outcome: end, code } = (await agent.check()).schedule.last_check ?? {};
    assert.deepEqual([end, code], ["failed", "update_server_refused"]);
    assert.deepEqual(publisher.server.requests, []);
  });
});
