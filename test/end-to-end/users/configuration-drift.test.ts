import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { startCheckedAgent } from "../../../lab/agents/checked-agent.ts";
import { ofSuite, temporaryDirectory } from "../../../lab/basics/ending.ts";
import { hashOf } from "../../device/configuration/virtual-device.ts";

/** Documentation addresses (RFC 5737): the network of the fleet's server, and another. */
const inside = "203.0.113.7";
const outside = "198.51.100.7";

/** It has no password, and so no guess at one can be compared with it. */
const hash = hashOf("F");

const file = {
  version: 1,
  users: [
    { name: "root-admin", role: "admin" },
    { name: "monitor", role: "readonly", password_hash: hash, display_name: "The monitor" },
  ],
  tokens: [{ token_hash: "ab".repeat(32), name: "scraper", user: "monitor", scopes: ["metrics:read"] }],
  settings: { device: { name: "edge-7", contact: "lena@example.org" } },
};

describe("the drift of a device, for a fleet token that only reads", () => {
  const agent = ofSuite(startCheckedAgent);
  let token: string;
  let environment: Record<string, string>;

  before(async () => {
    await agent.signedInAdmin();
    environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const words = ["token", "add", "--user", "root-admin", "--name", "drift", "--no-expiry", "--quiet"];
    const rights = ["--scope", "configuration:read", "--fleet", "--from", "203.0.113.0/24"];
    const { code, stdout, stderr } = await runSteward([...words, ...rights], { environment });
    assert.equal(code, 0, stderr);
    token = stdout.trim();
  });

  const call = (method: string, path: string, body?: object, from = inside) =>
    agent.call(method, path, { token, from, ...(body && { body }) });
  const check = async (body: object) => {
    const { status, json, text } = await call("POST", "/api/configuration/check", body);
    assert.equal(status, 200, text);
    return { ...json, text } as { differs: boolean; differences: object[]; text: string };
  };
  const digest = async () => (await call("GET", "/api/configuration/digest")).json;
  const apply = async (configuration: object) => {
    const input = JSON.stringify(configuration);
    const { code, stderr } = await runSteward(["apply", "-"], { environment, input });
    assert.equal(code, 0, stderr);
  };
  const drift = async () => driftIn((await agent.call("GET", "/api/metrics", { local: true })).text);
  const setName = (name: string) =>
    agent.call("PUT", "/api/system", { local: true, body: { device: { name } } });

  it("is not known before a file was applied", async () => {
    const { applied_at, drift: isDrifted } = await digest();
    assert.deepEqual([applied_at, isDrifted, await drift()], [null, null, undefined]);
  });

  it("names what an apply would change, without a value of the device, and changes nothing", async () => {
    await setName("what people call it");
    const [before, events] = [await digest(), (await agent.call("GET", "/api/events", { local: true })).json];
    const { differs, differences, text } = await check(file);
    assert.deepEqual(
      [differs, differences],
      [
        true,
        [
          {
            subject: "user",
            name: "monitor",
            action: "created",
            members: ["role", "display_name", "enabled", "password"],
          },
          {
            subject: "token",
            name: "monitor/scraper",
            action: "created",
            members: ["user", "name", "scopes", "sources", "is_fleet"],
          },
          { subject: "settings", name: "", action: "changed", members: ["device.name", "device.contact"] },
        ],
      ],
    );
    for (const part of ["what people call it", "edge-7", "lena@", "argon2", "abab"])
      assert.ok(!text.includes(part), part);
    assert.deepEqual(await digest(), before);
    assert.deepEqual(
      (await agent.call("GET", "/api/events", { local: true })).json.items[0],
      events.items[0],
    );
  });

  it("is none once the file is applied; the digest says so, the check, and the metric", async () => {
    await apply(file);
    const first = await digest();
    assert.equal(first.drift, false);
    assert.ok(Date.parse(first.applied_at) > 0);
    assert.deepEqual(await check(file), { differs: false, differences: [], text: (await check(file)).text });
    assert.equal(await drift(), "0");
    assert.deepEqual(await digest(), first);
  });

  it("begins with a change by people, in the part that it is in, and ends when it is undone", async () => {
    const first = await digest();
    await setName("other");
    const second = await digest();
    assert.deepEqual([second.drift, await drift()], [true, "1"]);
    assert.notEqual(second.digest, first.digest);
    assert.notEqual(second.settings, first.settings);
    assert.deepEqual([second.users, second.tokens], [first.users, first.tokens]);
    assert.deepEqual((await check(file)).differences, [
      { subject: "settings", name: "", action: "changed", members: ["device.name"] },
    ]);
    await setName("edge-7");
    assert.deepEqual([await digest(), await drift()], [first, "0"]);
  });

  it("tells of another password and of a user too many, and not which", async () => {
    const other = file.users.map((user) =>
      "password_hash" in user ? { ...user, password_hash: hashOf("G") } : user,
    );
    const { differences, text } = await check({ ...file, users: other });
    assert.deepEqual(differences, [
      { subject: "user", name: "monitor", action: "changed", members: ["password"] },
    ]);
    assert.ok(!text.includes("argon2"));
    const body = { username: "mallory", role: "readonly", password: "nine purple kettles whistle" };
    assert.equal((await agent.call("POST", "/api/users", { local: true, body })).status, 201);
    assert.equal((await check(file)).differs, false);
    assert.deepEqual((await check({ ...file, users_not_named: "remove" })).differences, [
      { subject: "user", name: "mallory", action: "removed", members: [] },
    ]);
    assert.equal(await drift(), "0", "the applied file names no one who is to go");
  });

  it("is refused with every fault of a file that could not be applied", async () => {
    const faulty = {
      version: 1,
      users: [
        { name: "olga", role: "operator" },
        { name: "x", rolle: "admin" },
      ],
    };
    const { status, json } = await call("POST", "/api/configuration/check", faulty);
    assert.equal(status, 400);
    const pointers = json.errors.map(({ pointer }: { pointer: string }) => pointer);
    assert.ok(pointers.includes("/users/1/rolle"), pointers.join());
  });

  it("opens nothing else: no export, no apply, no reading of settings or users, and nothing from elsewhere", async () => {
    const codes: [string, string, object | undefined, string][] = [
      ["GET", "/api/configuration", undefined, "token_not_allowed"],
      ["POST", "/api/configuration", file, "token_not_allowed"],
      ["GET", "/api/configuration/seal-key", undefined, "token_not_allowed"],
      ["GET", "/api/system", undefined, "insufficient_scope"],
      ["GET", "/api/users", undefined, "insufficient_scope"],
      ["PUT", "/api/system", { device: { name: "x" } }, "insufficient_scope"],
    ];
    for (const [method, path, body, code] of codes)
      assert.equal((await call(method, path, body)).json.code, code, `${method} ${path}`);
    for (const path of ["/api/configuration/digest", "/api/status"])
      assert.equal((await call("GET", path, undefined, outside)).status, 401, path);
  });

  it("has digests that outlast a restart, and are other ones on a device like it (guessing elsewhere)", async (test) => {
    const [one, other] = [await temporaryDirectory(test), await temporaryDirectory(test)];
    const digests: string[] = [];
    for (const stateDirectory of [one, one, other]) {
      const device = await startAgentInProcess({ stateDirectory });
      const { json } = await device.call("GET", "/api/configuration/digest", { local: true });
      digests.push(json.settings);
      await device.dispose();
    }
    assert.equal(digests[0], digests[1]);
    assert.notEqual(digests[0], digests[2]);
  });

  it("is in the metrics of an agent that has been started again, before anyone asks for it", async (test) => {
    const stateDirectory = await temporaryDirectory(test);
    const readings: (string | undefined)[] = [];
    for (const name of ["edge-7", "other"]) {
      const device = await startAgentInProcess({ stateDirectory });
      readings.push(driftIn((await device.call("GET", "/api/metrics", { local: true })).text));
      const settings = { device: { name: "edge-7" } };
      if (name === "edge-7")
        await device.call("POST", "/api/configuration", { local: true, body: { version: 1, settings } });
      else await device.call("PUT", "/api/system", { local: true, body: { device: { name } } });
      readings.push(driftIn((await device.call("GET", "/api/metrics", { local: true })).text));
      await device.dispose();
    }
    assert.deepEqual(readings, [undefined, "0", "0", "1"]);
  });
});

function driftIn(metrics: string): string | undefined {
  return /^steward_configuration_drift (\d)$/m.exec(metrics)?.[1];
}
