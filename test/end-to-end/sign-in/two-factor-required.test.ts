import assert from "node:assert/strict";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { runSteward, startAgentInProcess } from "../../../lab/agents/agent-in-process.ts";
import { goodPassword } from "../../../lab/agents/checked-agent.ts";
import { codeOf } from "../../../lab/basics/authenticator.ts";
import { ofSuite } from "../../../lab/basics/ending.ts";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { typeInto } from "../../../lab/command-line/terminal.ts";
import { standingTime } from "../../../lab/simulated/test-time.ts";

const program = [process.execPath, join(import.meta.dirname, "../../../dist/main.js")];

describe("the command line where two-factor sign-in is required", () => {
  const home = scratchDirectory();
  const time = standingTime();

  let environment: Record<string, string>;
  let recoveryCodes: string[] = [];

  const steward = (words: string[], ...lines: string[]) =>
    runSteward(words, { environment, input: lines.map((line) => `${line}\n`).join("") });

  const agent = ofSuite(() => startAgentInProcess({ stateDirectory: join(home, "state"), time }));
  before(async () => {
    environment = { STEWARD_SOCKET: agent.socket, STEWARD_STATE: agent.stateDirectory };
    await steward(["system", "set", "security.require_2fa=all"]);
  });

  it("takes a new user from the one-use password to the second factor in one go", async () => {
    const added = await steward(["user", "add", "anna", "--role", "admin", "--generate"]);
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
          async (shown) => {
            const secret = (/^(?:[A-Z2-7]{4} ?){8}(?=\r$)/m.exec(shown)?.[0] ?? "").replaceAll(" ", "");
            return `${codeOf(secret, time.nowSeconds())}\r`;
          },
        ],
        ["Is that right? [y/N] ", "y\r"],
      ],
      environment,
    );
    assert.equal(code, 0, screen);
    recoveryCodes = screen.match(/^(?:[0-9A-Z]{4}-){3}[0-9A-Z]{4}(?=\r$)/gm) ?? [];
    assert.equal(recoveryCodes.length, 10);
    assert.match((await steward(["user", "show", "anna"])).stdout, /^must change password +no$/m);
  });

  it("ends with 4 for the other commands of users without one, and lets them enrol again after a recovery", async () => {
    const code = recoveryCodes.at(-1) ?? "";
    const recovered = await steward(
      ["user", "2fa", "recover", "anna", "--password-stdin"],
      goodPassword,
      code,
    );
    assert.equal(recovered.code, 0, recovered.stderr);
    const token = ["token", "add", "--user", "anna", "--name", "fleet", "--scope", "logs:read"];
    const refused = await steward([...token, "--password-stdin"], goodPassword);
    assert.equal(refused.code, 4);
    assert.match(refused.stderr, /you have not enrolled/);
    const begun = await steward(
      ["-o", "json", "user", "2fa", "setup", "anna", "--begin", "--password-stdin"],
      goodPassword,
    );
    assert.equal(begun.code, 0, begun.stderr);
    const { secret } = JSON.parse(begun.stdout) as { secret: string };
    const enable = ["user", "2fa", "enable", "anna", "--yes", "--password-stdin"];
    const enabled = await steward(enable, goodPassword, codeOf(secret, time.nowSeconds()));
    assert.equal(enabled.code, 0, enabled.stderr);
  });
});
