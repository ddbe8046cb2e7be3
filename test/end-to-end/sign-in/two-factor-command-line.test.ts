import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { assertWithout } from "../../../lab/agents/canary.ts";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import type { RunningAgent } from "../../../lab/agents/running-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { allCommandLines, type Typed, typeInto } from "../../../lab/command-line/terminal.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

const program = [process.execPath, join(import.meta.dirname, "../../../dist/main.js")];

/** The secret as the terminal shows it. */
const secretOn = (shown: string) =>
  (/^(?:[A-Z2-7]{4} ?){8}(?=\r$)/m.exec(shown)?.[0] ?? "").replaceAll(" ", "");

describe("two-factor sign-in from the command line", () => {
  const home = scratchDirectory();
  const time = standingTime();
  let agent: RunningAgent;
  let environment: Record<string, string>;
  let password = goodPassword;
  let secret = "";
  let recoveryCodes: string[] = [];
  const secrets = new Set([goodPassword]);

  const steward = (words: string[], ...lines: string[]) =>
    runSteward(words, { environment, input: lines.map((line) => `${line}\n`).join("") });
  const onTerminal = (words: string[], answers: Typed[]) =>
    typeInto([...program, ...words], answers, environment);
  const show = async () => {
    const { stdout } = await steward(["-o", "json", "user", "show", "anna"]);
    return JSON.parse(stdout) as { id: string; two_factor: { enabled: boolean } };
  };
  const sessionCount = async () => {
    const { stdout } = await steward(["-o", "json", "user", "sessions", "list", "anna"]);
    return (JSON.parse(stdout) as { total: number }).total;
  };
  const keep = (output: string) => {
    recoveryCodes = output.match(/\b(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}\b/g) ?? [];
    for (const code of recoveryCodes) secrets.add(code);
  };
  const enrol = async () => {
    const begun = await steward(
      ["-o", "json", "user", "2fa", "setup", "anna", "--begin", "--password-stdin"],
      password,
    );
    assert.equal(begun.code, 0, begun.stderr);
    secret = (JSON.parse(begun.stdout) as { secret: string }).secret;
    secrets.add(secret);
    const words = ["user", "2fa", "enable", "anna", "--password-stdin", "--allow-unsynchronised-clock"];
    const enabled = await steward(words, password, codeOf(secret, time.nowSeconds() - 30));
    assert.equal(enabled.code, 0, enabled.stderr);
    keep(enabled.stdout);
    assert.equal(enabled.stdout, recoveryCodes.map((code) => `${code}\n`).join(""));
    assert.equal(recoveryCodes.length, 10);
  };

  before(async () => {
    agent = await startAgentInProcess({ stateDirectory: join(home, "state"), time });
    environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const added = await steward(["user", "add", "anna", "--role", "admin", "--password-stdin"], password);
    assert.equal(added.code, 0, added.stderr);
  });
  after(async () => {
    await agent.dispose();
    assertWithout(secrets, agent.log(), "the log");
  });

  it("sets up on a terminal: picture, secret, first code, recovery codes; and no session stays", async () => {
    const { code, screen, isRestored } = await onTerminal(
      ["user", "2fa", "setup", "anna"],
      [
        ["Password of anna: ", `${password}\r`],
        [
          "First code from the authenticator: ",
          async (shown) => {
            secret = secretOn(shown);
            secrets.add(secret);
            assertWithout(secrets, allCommandLines(), "the arguments of a process");
            return `${codeOf(secret, time.nowSeconds() - 30)}\r`;
          },
        ],
        ["Is that right? [y/N] ", "y\r"],
      ],
    );
    assert.equal(code, 0, screen);
    assert.ok(isRestored, screen);
    assert.match(screen, /This machine is the device/);
    keep(screen);
    assert.equal(recoveryCodes.length, 10);
    assert.equal((await show()).two_factor.enabled, true);
    assert.equal(await sessionCount(), 0);
  });

  it("is switched off by its owner with two recovery codes", async () => {
    const [first = "", second = ""] = recoveryCodes;
    const words = ["user", "2fa", "disable", "anna", "--password-stdin"];
    const { code, stderr } = await steward(words, password, first, second);
    assert.equal(code, 0, stderr);
    assert.equal((await show()).two_factor.enabled, false);
    assert.equal(await sessionCount(), 0);
  });

  it("is set up by a script in two steps, and recovered when the authenticator is lost", async () => {
    await enrol();
    const words = ["user", "2fa", "recover", "anna", "--password-stdin"];
    const wrong = await steward(words, password, "AAAA-BBBB-CCCC-DDDD");
    assert.equal(wrong.code, 4, wrong.stderr);
    const [code = ""] = recoveryCodes;
    const recovered = await steward(words, password, code);
    assert.equal(recovered.code, 0, recovered.stderr);
    assert.match(recovered.stderr, /steward user 2fa setup anna/);
    assert.equal((await show()).two_factor.enabled, false);
    assert.equal(await sessionCount(), 0);
  });

  it("is removed by a rescue, whose one-use password is replaced before a token is made with it", async () => {
    await enrol();
    const rescued = await steward(["user", "rescue", "anna", "--yes"]);
    assert.equal(rescued.code, 0, rescued.stderr);
    assert.match(rescued.stderr, /a second factor, which may be lost/);
    assert.equal((await show()).two_factor.enabled, false);
    const oneUse = rescued.stdout.trim();
    password = "seven lanterns drift home";
    for (const known of [oneUse, password]) secrets.add(known);
    const { code, screen } = await onTerminal(
      ["token", "add", "--user", "anna", "--name", "fleet", "--scope", "system:read", "--url", agent.url],
      [
        ["Password of anna: ", `${oneUse}\r`],
        ["New password: ", `${password}\r`],
        ["The same again: ", `${password}\r`],
      ],
    );
    assert.equal(code, 0, screen);
    const token = /^stw_[\w-]+(?=\r$)/m.exec(screen)?.[0] ?? "";
    secrets.add(token);
    writeFileSync(join(home, "token"), token);
  });

  it("is reset with a reason, and rescued, by root with the agent down; a user's own commands wait for it", async () => {
    await enrol();
    await agent.stop();
    const own = await steward(["user", "2fa", "disable", "anna", "--password-stdin"], password, "123456");
    assert.equal(own.code, 8);
    assert.match(own.stderr, /agent is not running/);
    const status = await steward(["user", "2fa", "status", "anna"]);
    assert.match(status.stdout, /^enabled +yes$/m);
    const reset = await steward(["user", "2fa", "reset", "anna", "--yes", "--reason", "phone lost"]);
    assert.equal(reset.code, 0, reset.stderr);
    assert.equal((await show()).two_factor.enabled, false);
    const rescued = await steward(["user", "rescue", "anna", "--yes"]);
    assert.equal(rescued.code, 0, rescued.stderr);
    assert.match(rescued.stdout, /^([0-9a-z]{5}-){3}[0-9a-z]{5}\n$/);
  });
});

describe("the command line where two-factor sign-in is required", () => {
  const time = standingTime();
  const agent = ofSuite(() => startAgentInProcess({ time }));

  it("takes a new user from the one-use password to the second factor in one go", async () => {
    const environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    const steward = (...words: string[]) => runSteward(words, { environment });
    await steward("system", "set", "security.require_2fa=all");
    const added = await steward("user", "add", "anna", "--role", "admin", "--generate");
    assert.equal(added.code, 0, added.stderr);
    const { code, screen } = await typeInto(
      [...program, "user", "2fa", "setup", "anna"],
      [
        ["Password of anna: ", `${added.stdout.trim()}\r`],
        ["New password: ", "short\r"],
        ["The same again: ", "short\r"],
        ["New password: ", `${goodPassword}\r`],
        ["The same again: ", `${goodPassword}\r`],
        [
          "First code from the authenticator: ",
          async (shown) => `${codeOf(secretOn(shown), time.nowSeconds())}\r`,
        ],
        ["Is that right? [y/N] ", "y\r"],
      ],
      environment,
    );
    assert.equal(code, 0, screen);
    assert.equal(screen.match(/^(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}(?=\r$)/gm)?.length, 10);
    assert.match((await steward("user", "show", "anna")).stdout, /^must change password +no$/m);
  });
});
