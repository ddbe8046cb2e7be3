import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AgentRefusal } from "../../src/cli/client/agent-answer.ts";
import type { ErrorCode } from "../../src/contract/error-codes.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { CommandError } from "../../src/terminal/command-error.ts";
import { describeFailure, exitCodeOf, failureDocument } from "../../src/terminal/failure.ts";

describe("exitCodeOf", () => {
  // The exit codes as the contract's page lists them, not as the table of codes has them.
  const exits: Readonly<Record<number, readonly ErrorCode[]>> = {
    1: ["internal_error", "storage_full"],
    3: ["not_found"],
    4: ["authentication_required", "invalid_token", "forbidden"],
    5: ["username_taken", "last_admin", "etag_mismatch"],
    6: ["validation_failed", "password_too_short"],
    7: ["hashing_busy"],
    8: ["shutting_down"],
  };
  for (const [exit, codes] of Object.entries(exits))
    it(`is ${exit} for ${codes.join(", ")}`, () => {
      for (const code of codes) assert.equal(exitCodeOf(new StewardError(code, "x")), Number(exit), code);
    });

  it("is the command line's own for its own failures, and 1 for an unexpected error", () => {
    assert.equal(exitCodeOf(new CommandError(130, "x")), 130);
    assert.equal(exitCodeOf(new TypeError("x")), 1);
    assert.equal(exitCodeOf("x"), 1);
  });
});

describe("describeFailure", () => {
  const errors = [{ pointer: "/role", code: "enum", detail: "must be a role" }];
  const invalid = { errors, retryAfterSeconds: 30 };
  const clock = { server_time: "2001-02-03T04:05:06.000Z", synchronised: false, skew_suspected: true };
  const soon = { retryAfterSeconds: 5 };
  const failing = (code: ErrorCode, message: string, details = {}) =>
    new StewardError(code, message, { details });
  const hostile = "\u001b[2J\nsteward: all is well";
  for (const [what, error, text] of [
    [
      "names each wrong part of the input, and when to try again",
      failing("validation_failed", "Not valid.", invalid),
      "Not valid.\n  /role: must be a role\nTry again in 30 seconds.",
    ],
    ...(["setup_required", "state_damaged", "second_factor_unavailable", "no_time_source"] as const).map(
      (code) =>
        [
          `does not advise to try again at ${code}`,
          failing(code, "It is gone.", soon),
          "It is gone.",
        ] as const,
    ),
    [
      "does not advise that again where it is said already",
      failing("rate_limited", "It was a moment ago. Try again in 5 s.", soon),
      "It was a moment ago. Try again in 5 s.",
    ],
    [
      "says what the device thinks of its clock where that may be why",
      new AgentRefusal("totp_invalid", { code: "totp_invalid", detail: "Not right.", clock }),
      "Not right.\nThe device says it is 2001-02-03T04:05:06.000Z; its clock is not trusted, and the code belongs to another time.",
    ],
    [
      "keeps an agent's text from driving the terminal or forging a line",
      ...([failing("not_found", hostile), "\\x1b[2J\\x0asteward: all is well"] as const),
    ],
  ] as const)
    it(what, () => assert.equal(describeFailure("steward", error), `steward: ${text}`));
});

describe("failureDocument", () => {
  it("is the agent's own document when it came from the agent", () => {
    const problem = { code: "not_found", detail: "No.", request_id: "r1", status: 404 };
    assert.equal(failureDocument(new AgentRefusal("not_found", problem)), problem);
  });

  it("is a problem document for a refusal in process", () => {
    assert.deepEqual(
      failureDocument(new StewardError("last_admin", "No.", { details: { retryAfterSeconds: 3 } })),
      {
        type: "urn:steward:problem:last_admin",
        title: "No administrator could sign in afterwards",
        status: 409,
        detail: "No.",
        code: "last_admin",
        retry_after: 3,
      },
    );
  });

  it("has no code of the agent's when the command line itself failed", () => {
    assert.deepEqual(failureDocument(new CommandError(8, "No such user.")), {
      type: "about:blank",
      title: "The command failed",
      detail: "No such user.",
      exit_code: 8,
    });
  });
});
