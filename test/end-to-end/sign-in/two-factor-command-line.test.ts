import assert from "node:assert/strict";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { assertWithout } from "../../../lab/agents/canary.ts";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { allCommandLines, type Typed, typeInto } from "../../../lab/command-line/terminal.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

const program = [process.execPath, join(import.meta.dirname, "../../../dist/main.js")];

const secretOn = (shown: string) =>
  (/^(?:[A-Z2-7]{4} ?){8}(?=\r$)/m.exec(shown)?.[0] ?? "").replaceAll(" ", "");

describe("two-factor sign-in from the command line", () => {
  const time = standingTime();
  const agent = ofSuite(() => startAgentInProcess({ time }));
  const environment = () => ({ STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory });
  const steward = (line: string, ...lines: string[]) =>
    runSteward(line.split(" "), {
      ...{ environment: environment(), input: lines.map((one) => `${one}\n`).join("") },
    });
  const onTerminal = (line: string, answers: Typed[]) =>
    typeInto([...program, ...line.split(" ")], answers, environment());
  let password = goodPassword;
  let recoveryCodes: string[] = [];
  const secrets = new Set([goodPassword]);

  const shown = async () => {
    const user = JSON.parse((await steward("-o json user show anna")).stdout);
    const sessions = JSON.parse((await steward("-o json user sessions list anna")).stdout);
    return { isEnabled: user.two_factor.enabled, sessions: sessions.total };
  };
  const keep = (output: string) => {
    recoveryCodes = output.match(/\b(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}\b/g) ?? [];
    for (const code of recoveryCodes) secrets.add(code);
    assert.equal(recoveryCodes.length, 10);
  };
  const enrol = async () => {
    const begun = await steward("-o json user 2fa setup anna --begin --password-stdin", password);
    const { secret } = JSON.parse(begun.stdout) as { secret: string };
    secrets.add(secret);
    const line = "user 2fa enable anna --password-stdin --allow-unsynchronised-clock";
    const enabled = await steward(line, password, codeOf(secret, time.nowSeconds() - 30));
    assert.equal(enabled.code, 0, enabled.stderr);
    keep(enabled.stdout);
  };
  after(() => assertWithout(secrets, agent.log(), "the log"));

  it("takes a new user from the one-use password to the second factor in one go; no session stays", async () => {
    await steward("system set security.require_2fa=all");
    const oneUse = (await steward("user add anna --role admin --generate")).stdout.trim();
    secrets.add(oneUse);
    const { code, screen, isRestored } = await onTerminal("user 2fa setup anna", [
      ["Password of anna: ", `${oneUse}\r`],
      ["New password: ", "short\r"],
      ["The same again: ", "short\r"],
      ["New password: ", `${password}\r`],
      ["The same again: ", `${password}\r`],
      [
        "First code from the authenticator: ",
        async (text) => {
          const secret = secretOn(text);
          secrets.add(secret);
          assertWithout(secrets, allCommandLines(), "the arguments of a process");
          return `${codeOf(secret, time.nowSeconds() - 30)}\r`;
        },
      ],
      ["Is that right? [y/N] ", "y\r"],
    ]);
    assert.deepEqual([code, isRestored], [0, true], screen);
    assert.match(screen, /This machine is the device/);
    keep(screen);
    assert.match((await steward("user show anna")).stdout, /^must change password +no$/m);
    assert.deepEqual(await shown(), { isEnabled: true, sessions: 0 });
    await steward("system set security.require_2fa=none");
  });

  it("is switched off by its owner with two recovery codes, and recovered with one", async () => {
    const off = "user 2fa disable anna --password-stdin";
    const { code, stderr } = await steward(off, password, ...recoveryCodes.slice(0, 2));
    assert.equal(code, 0, stderr);
    assert.deepEqual(await shown(), { isEnabled: false, sessions: 0 });
    await enrol();
    const line = "user 2fa recover anna --password-stdin";
    assert.equal((await steward(line, password, "AAAA-BBBB-CCCC-DDDD")).code, 4);
    const recovered = await steward(line, password, recoveryCodes[0] ?? "");
    assert.deepEqual([recovered.code, await shown()], [0, { isEnabled: false, sessions: 0 }]);
    assert.match(recovered.stderr, /steward user 2fa setup anna/);
  });

  it("is removed by a rescue, whose one-use password is replaced where it is asked for", async () => {
    await enrol();
    const rescued = await steward("user rescue anna --yes");
    assert.match(rescued.stderr, /a second factor, which may be lost/);
    assert.equal((await shown()).isEnabled, false);
    const oneUse = rescued.stdout.trim();
    password = "seven lanterns drift home";
    const line = `token add --user anna --name fleet --scope system:read --url ${agent.url}`;
    const { code, screen } = await onTerminal(line, [
      ["Password of anna: ", `${oneUse}\r`],
      ["New password: ", `${password}\r`],
      ["The same again: ", `${password}\r`],
    ]);
    assert.equal(code, 0, screen);
    for (const known of [oneUse, password, /^stw_[\w-]+(?=\r$)/m.exec(screen)?.[0] ?? ""]) secrets.add(known);
  });

  it("is reset with a reason, and rescued, by root with the agent down; a user's own commands wait for it", async () => {
    await enrol();
    await agent.stop();
    const own = await steward("user 2fa disable anna --password-stdin", password, "123456");
    assert.deepEqual([own.code, /agent is not running/.test(own.stderr)], [8, true], own.stderr);
    assert.match((await steward("user 2fa status anna")).stdout, /^enabled +yes$/m);
    assert.equal((await steward("user 2fa reset anna --yes --reason lost")).code, 0);
    assert.equal((await shown()).isEnabled, false);
    assert.match((await steward("user rescue anna --yes")).stdout, /^([0-9a-z]{5}-){3}[0-9a-z]{5}\n$/);
  });
});
