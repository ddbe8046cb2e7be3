import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { SignedRepository } from "../../../lab/publisher/signed-repository.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { newToken, password, readState, secret, startDevice, tokenOf } from "./configured-device.ts";

const time = standingTime();

describe("steward apply --export", () => {
  const suite = endOfSuite();
  let from: Awaited<ReturnType<typeof startDevice>>;
  let to: typeof from;
  const exported = async (...options: string[]) => {
    const { code, stdout, stderr } = await from.steward(["apply", "--export", ...options]);
    assert.equal(code, 0, stderr);
    return { text: stdout, stderr };
  };
  const dated = newToken();

  before(async () => {
    from = await startDevice(suite, { time });
    to = await startDevice(suite, { time });
    const key = (await from.steward(["seal-key"])).stdout.trim();
    const sealed = (await from.steward(["seal", "--to", key, "--user", "monitor"], secret)).stdout.trim();
    const [fleet, monitor] = from.whole.users as [object, object];
    const publisher = new SignedRepository();
    const ofFleet = { user: "fleet", no_expiry: true, sources: ["10.0.0.0/8"], is_fleet: true };
    await from.applied({
      ...from.whole,
      users: [fleet, { ...monitor, second_factor: { sealed } }],
      tokens: [
        ...(from.whole.tokens as object[]),
        { ...tokenOf(dated.token_hash), name: "dated", expires_at: "2026-12-24T00:00:00Z" },
        { ...tokenOf(newToken().token_hash), ...ofFleet },
      ],
      settings: {
        device: { name: "edge-7" },
        time: { servers: ["192.0.2.1", { host: "nts.example", nts: true }] },
      },
      update_root: JSON.parse(publisher.metadata("1.root").toString()),
    });
    const body = { username: "people-made", role: "operator", password: "nine purple kettles whistle" };
    assert.equal((await from.agent.call("POST", "/api/users", { local: true, body })).status, 201);
  });

  it("prints a file that is no change here, and says what it left out", async () => {
    const { text, stderr } = await exported();
    assert.ok(
      text.includes(dated.token_hash) && text.includes("nts.example") && text.includes('"signatures"'),
    );
    // In an agent of the test's process a password that people choose has a hash of little cost.
    assert.match(stderr, /^Left out of user people-made: the hash of the password costs less/);
    const present = await readState(from.agent.stateDirectory);
    for (const options of [["--check"], []]) {
      const { code, stdout, stderr } = await from.steward(["apply", "-", ...options], text);
      assert.deepEqual([code, stdout], [0, "no change\n"], stderr);
    }
    assert.deepEqual(await readState(from.agent.stateDirectory), present);
  });

  it("makes another device the same: password, code and token are good there", async () => {
    const key = (await to.steward(["seal-key"])).stdout.trim();
    const { text } = await exported("--seal-to", key);
    const file = JSON.parse(text);
    file.users = file.users.filter(({ name }: { name: string }) => name !== "people-made");
    await to.applied(file);
    const { challenge_token } = (
      await to.agent.call("POST", "/api/auth/login", { body: { username: "monitor", password } })
    ).json;
    const body = { challenge_token, code: codeOf(secret, time.nowSeconds()) };
    assert.equal((await to.agent.call("POST", "/api/auth/totp", { body })).status, 200);
    assert.equal((await to.agent.call("GET", "/api/status", { token: dated.text })).status, 200);
    const again = JSON.parse((await to.steward(["apply", "--export", "--without-secrets"])).stdout);
    assert.deepEqual(again.settings, file.settings);
    assert.deepEqual(again.update_root, file.update_root);
    // Sealed for the other device, it says nothing here.
    const back = await from.steward(["apply", "-", "--check"], text);
    assert.equal(back.code, 6);
    assert.match(back.stderr, /second_factor\/sealed cannot be opened here/);
  });

  it("takes no file and none of the options of a change (exit 2), and no other key (exit 6)", async () => {
    for (const words of [
      ["--export", "fleet.json"],
      ["--export", "--check"],
      ["--export", "--diff"],
      ["--export", "--seal-to", "00", "--without-secrets"],
      ["--without-secrets", "-"],
      ["--seal-to", "00", "-"],
      [],
    ])
      assert.equal((await from.steward(["apply", ...words])).code, 2, words.join(" "));
    for (const key of ["AAAA", "00".repeat(32)])
      assert.equal((await from.steward(["apply", "--export", "--seal-to", key])).code, 6, key);
  });

  it("is for root on the device: no token and no administrator gets it over the network", async () => {
    const body = { username: "fleet", password };
    const { json } = await from.agent.call("POST", "/api/auth/login", { body });
    for (const token of [from.fleet.text, json.access_token])
      assert.equal((await from.agent.call("GET", "/api/configuration", { token })).status, 403);
  });
});
