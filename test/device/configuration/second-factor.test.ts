import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward } from "../../../lab/agents/agent-in-process.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { endOfSuite } from "../../../lab/basics/ending.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";
import { password, startDevice } from "./configured-device.ts";

const time = standingTime();
const { agent, environment, whole, apply, applied, refused } = await startDevice(endOfSuite(), { time });

describe("a sealed second factor in a configuration", () => {
  before(() => applied(whole));

  /** The test key of RFC 6238 as a longer one, in base32. */
  const secret = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
  const sealed = async (input: string, user = "monitor", to?: string) => {
    const key = to ?? (await runSteward(["seal-key"], { environment })).stdout.trim();
    return runSteward(["seal", "--to", key, "--user", user], { input });
  };
  const withFactor = (text: string) => ({
    version: 1,
    users: [{ name: "monitor", second_factor: { sealed: text } }],
  });
  const signIn = async () => {
    const body = { username: "monitor", password };
    return (await agent.call("POST", "/api/auth/login", { body })).json;
  };

  it("is asked for at the next sign-in, and is no change the second time, sealed anew or not", async () => {
    const before = await signIn();
    const { stdout } = await sealed(`${secret.toLowerCase()}\n`);
    const file = withFactor(stdout.trim());
    const shown = await apply(file, "--diff");
    assert.deepEqual([shown.code, shown.stdout], [0, "changed user monitor\n  second_factor: (secret)\n"]);
    assert.equal((await agent.call("GET", "/api/auth/me", { token: before.access_token })).status, 401);
    const { challenge_token } = await signIn();
    const code = codeOf(secret, time.nowSeconds());
    const answer = await agent.call("POST", "/api/auth/totp", { body: { challenge_token, code } });
    assert.equal(answer.status, 200, answer.text);
    const { json } = await agent.call("GET", "/api/auth/me", { token: answer.json.access_token });
    assert.deepEqual([json.two_factor.enabled, json.two_factor.recovery_codes_remaining], [true, 0]);
    assert.equal((await applied(file)).changed, false);
    assert.equal((await applied(withFactor((await sealed(secret)).stdout.trim()))).changed, false);
    const events = await runSteward(["-o", "json", "events"], { environment });
    assert.match(events.stdout, /"type": ?"two_factor\.enabled"/);
    assert.ok(!(await readFile(join(agent.stateDirectory, "users.json"), "utf8")).includes(secret));
  });

  it("is refused at its place for another user, for another device, altered, or none", async () => {
    const own = (await sealed(secret)).stdout.trim();
    // The specification's own example of a recipient: https://age-encryption.org/v1
    const other = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
    const texts = [
      (await sealed(secret, "fleet")).stdout.trim(),
      (await sealed(secret, "monitor", other)).stdout.trim(),
      own.replace(/.{4}$/, (end) => (end === "AAAA" ? "BBBB" : "AAAA")),
      secret,
      "",
    ];
    // Not by `steward seal`, which refuses them.
    const key = (await runSteward(["seal-key"], { environment })).stdout.trim();
    for (const foreign of [
      "JBSWY3DPEHPK3PXP",
      `otpauth://totp/x?secret=${secret}&digits=8`,
      `otpauth://hotp/x?secret=${secret}`,
    ])
      texts.push(
        execFileSync("age", ["-a", "-r", key], { input: `monitor\n${foreign}\n`, encoding: "utf8" }),
      );
    for (const text of texts) await refused(withFactor(text), ["/users/0/second_factor/sealed"]);
  });
});
