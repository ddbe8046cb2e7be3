import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { goodPassword, type SignedIn } from "../../../lab/agents/checked-agent.ts";
import { enrol } from "../../../lab/agents/enrol.ts";
import { outcome } from "../../../lab/agents/running-agent.ts";
import { openStream } from "../../../lab/agents/stream-reader.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { until } from "../../../lab/basics/until.ts";
import { type Publisher, startPublisher, startUpdatingAgent, type UpdatingAgent } from "./updating-agent.ts";

describe("updates of an agent whose server signs", () => {
  const ending = endOfSuite();
  let publisher: Publisher;
  let agent: UpdatingAgent;
  let admin: SignedIn;

  before(async () => {
    publisher = await startPublisher(ending);
    agent = await startUpdatingAgent();
    admin = await agent.signedInAdmin();
  });
  after(() => agent.dispose());

  const post = (path: string, body: object, token = admin.token) =>
    agent.call("POST", `/api/updates/${path}`, { token, body });

  it("without a server are not looked for: 409 update_not_configured", async () => {
    assert.equal(await outcome(post("check", {})), "409 update_not_configured");
  });

  it("without a root of trust are not looked for: 409, and the server hears nothing", async () => {
    await agent.set({ server: publisher.server.origin });
    assert.equal(await outcome(post("check", {})), "409 update_trust_not_established");
    assert.deepEqual(publisher.server.requests, []);
  });

  it("go by the root that root has installed, without a restart", async () => {
    await agent.install(publisher.repository.metadata("1.root"));
    const { trust } = await agent.status();
    const { installed, fingerprint, confirmed, proven, established } = trust;
    assert.deepEqual(
      { installed, fingerprint, confirmed, proven, established },
      {
        ...{ installed: true, fingerprint: publisher.fingerprint },
        ...{ confirmed: false, proven: false, established: false },
      },
    );
  });

  it("do not take another fingerprint for a confirmation: 400, and nothing is confirmed", async () => {
    assert.equal(await outcome(post("trust", { fingerprint: "0".repeat(64) })), "400 validation_failed");
    assert.equal((await agent.status()).trust.confirmed, false);
  });

  it("take it from an administrator who has just given the password, and say who it was", async () => {
    const careless = { ...(await agent.signedIn("careless", "admin")), password: goodPassword };
    const { recoveryCodes } = await enrol(agent.call, careless, agent.nowSeconds());
    const body = { username: "careless", password: goodPassword, recovery_code: recoveryCodes[0] };
    const { json: session } = await agent.call("POST", "/api/auth/login", { body });
    assert.equal(
      await outcome(post("trust", { fingerprint: publisher.fingerprint }, session.access_token)),
      "401 step_up_required",
    );
    const { status, json } = await post("trust", { fingerprint: publisher.fingerprint });
    assert.deepEqual([status, json.trust.confirmed, json.trust.confirmed_by], [200, true, "root-admin"]);
  });

  it("are looked for on request, after which the trust is established; the stream shows how far it is", async () => {
    const stream = await openStream({ where: agent.port, token: admin.token, path: "/api/events/stream" });
    const narrow = await openStream({
      ...{ where: agent.port, token: admin.token },
      path: "/api/events/stream?type=update.check_requested",
    });
    const { schedule, trust } = await agent.check();
    assert.deepEqual([schedule.last_check?.outcome, schedule.last_check?.detail], ["ok", null]);
    assert.deepEqual([trust.proven, trust.established, trust.status.code], [true, true, "established"]);
    assert.ok(await stream.until(3), "two of progress and one event");
    const progress = stream.messages.filter(({ event }) => event === "progress");
    const phases = progress.map(({ data }) => data.phase);
    assert.deepEqual([phases[0], phases.at(-1)], ["checking", "idle"]);
    assert.doesNotMatch(stream.text().split("event: progress")[0]?.split("\n\n").at(-1) ?? "", /^id:/m);
    assert.ok(await narrow.until(1), "the event came");
    assert.deepEqual(
      narrow.messages.map(({ event }) => event),
      ["event"],
    );
    for (const one of [stream, narrow]) one.close();
  });

  it("are not looked for twice within ten seconds: 429 with Retry-After", async () => {
    await agent.check();
    assert.equal(await outcome(post("check", {})), "429 rate_limited");
  });

  it("have a status that says which check it is of: the id is in the answer that began the check", async () => {
    await agent.restFromChecks();
    const begun = await post("check", {});
    const { check_id } = begun.json.schedule;
    assert.equal(begun.status, 202);
    assert.match(check_id, /^chk_[0-9a-f]{32}$/);
    await until("the check has ended", async () => (await agent.status()).schedule.check_id === undefined);
    const { last_check } = (await agent.status()).schedule;
    assert.deepEqual([last_check?.id, last_check?.outcome], [check_id, "ok"]);
    const device = await agent.read("/api/status");
    assert.equal(device.updates.last_check.id, check_id);
  });

  it("are checked in a directory only for root on the device: 403", async () => {
    const { status, json } = await post("check", { repository: pathToFileURL("/mnt").href });
    assert.deepEqual([status, json.code], [403, "forbidden"]);
    assert.match(json.detail, /steward update check --repo DIR/);
  });

  it("of a directory are applied at the device alone: 403 for an administrator elsewhere", async () => {
    const { status, json } = await post("apply", { kind: "rules", repository: "file:///media/stick" });
    assert.deepEqual([status, json.code], [403, "forbidden"]);
    assert.match(json.detail, /steward update apply --repo DIR/);
  });

  it("of a rule that is new are fetched and verified, and lie on the device", async () => {
    const { path } = publisher.repository.addRelease({ version: "1.1.0" });
    publisher.repository.publish("rules");
    const { state, available } = await agent.check();
    assert.deepEqual([state, available.rules?.version, available.rules?.path], ["staged", "1.1.0", path]);
    assert.equal(available.rules?.staged, true);
    assert.equal(available.rules?.hold?.code, "not_configured");
  });

  it("say to the server who asks: program, version, product and processor", () => {
    const agents = new Set(publisher.server.requests.map(({ headers }) => String(headers["user-agent"])));
    assert.equal(agents.size, 1, [...agents].join(", "));
    const [said = ""] = agents;
    assert.match(said, /^Steward\/\d+\.\d+\.\d+\S* \(demo; \w+\)$/);
    assert.ok(said.endsWith(`; ${process.arch})`), said);
  });

  it("say nothing of the releases before a setting has them say it, with the timestamp alone", async () => {
    const { requests } = publisher.server;
    assert.deepEqual(
      requests.filter(({ headers }) => "steward-report" in headers),
      [],
    );
    const before = requests.length;
    await agent.set({ report: true });
    await agent.check();
    await agent.set({ report: false });
    const told = requests.slice(before).filter(({ headers }) => "steward-report" in headers);
    assert.deepEqual(
      told.map(({ path }) => path),
      ["metadata/timestamp.json"],
    );
    assert.match(
      String(told[0]?.headers["steward-report"]),
      /^steward\/\d\S*;v=1, product\/demo, rules\/\S+\/1\.1\.0;state=staged;wave=\d+\.\d{3};device=d[0-9a-f]{12}$/,
    );
  });

  it("say which server a check has failed at, to every role", async () => {
    await publisher.server.close();
    const failed = await agent.check();
    assert.match(failed.schedule.last_check?.detail ?? "", new RegExp(String(publisher.server.port)));
    const reader = await agent.signedIn("reader", "readonly");
    const { json } = await agent.call("GET", "/api/updates", { token: reader.token });
    assert.equal(json.schedule.server, publisher.server.origin);
    assert.deepEqual(json.schedule.last_check, failed.schedule.last_check);
  });
});

describe("an update server on this very device", () => {
  const ending = endOfSuite();
  let publisher: Publisher;
  let agent: UpdatingAgent;
  before(async () => {
    publisher = await startPublisher(ending);
    const settings = { update: { ota: { server: publisher.server.origin } } };
    agent = await startUpdatingAgent({ host: { update: {} }, settings, hasTime: false });
    await agent.install(publisher.repository.metadata("1.root"));
  });
  after(() => agent.dispose());

  it("is not set where the host file does not allow it", async () => {
    const body = { update: { ota: { server: "http://127.0.0.1:8080" } } };
    const { status, json } = await agent.call("PUT", "/api/system", { local: true, body });
    assert.deepEqual([status, json.code], [400, "validation_failed"]);
    assert.equal(json.errors[0].pointer, "/update/ota/server");
    assert.match(json.detail, /update\.allow_local_servers in the host file/);
  });

  it("is not asked either where it stands in the settings already, which else can be changed", async () => {
    await agent.set({ check_interval: "12h" });
    const { schedule } = await agent.check();
    assert.deepEqual(
      [schedule.last_check?.outcome, schedule.last_check?.code],
      ["failed", "update_server_refused"],
    );
    assert.deepEqual(publisher.server.requests, []);
  });
});

describe("an idle check", () => {
  const ending = endOfSuite();
  let publisher: Publisher;
  let agent: UpdatingAgent;
  before(async () => {
    publisher = await startPublisher(ending);
    agent = await startUpdatingAgent();
    await agent.install(publisher.repository.metadata("1.root"));
    await agent.set({ server: publisher.server.origin });
    await agent.check();
    publisher.server.repent();
  });
  after(() => agent.dispose());

  it("is two requests, the next root and the timestamp, and less than a kilobyte", async () => {
    const { last_check } = (await agent.check()).schedule;
    assert.deepEqual(
      publisher.server.requests.map(({ path }) => path),
      ["metadata/2.root.json", "metadata/timestamp.json"],
    );
    assert.equal(last_check?.outcome, "ok");
    assert.equal(last_check?.requests, 2);
    assert.ok((last_check?.body_bytes ?? Number.NaN) <= 1_024, `${last_check?.body_bytes} bytes`);
  });
});
