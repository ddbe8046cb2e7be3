import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { AgentRefusal } from "../../src/cli/client/agent-answer.ts";
import type { ErrorCode } from "../../src/contract/error-codes.ts";
import { StewardError } from "../../src/contract/errors.ts";
import { CommandError } from "../../src/terminal/command-error.ts";
import { describeFailure, exitCodeOf, failureDocument } from "../../src/terminal/failure.ts";

describe("exitCodeOf", () => {
  // The exit codes as the contract's page lists them, not as the table of codes has them.
  const expected: [code: ErrorCode, exit: number][] = [
    ["internal_error", 1],
    ["storage_full", 1],
    ["not_found", 3],
    ["authentication_required", 4],
    ["invalid_token", 4],
    ["forbidden", 4],
    ["username_taken", 5],
    ["last_admin", 5],
    ["etag_mismatch", 5],
    ["validation_failed", 6],
    ["password_too_short", 6],
    ["hashing_busy", 7],
    ["shutting_down", 8],
  ];
  for (const [code, exit] of expected) {
    it(`is ${exit} for ${code}`, () => assert.equal(exitCodeOf(new StewardError(code, "x")), exit));
  }

  it("is the command line's own for its own failures, and 1 for an unexpected error", () => {
    assert.equal(exitCodeOf(new CommandError(130, "x")), 130);
    assert.equal(exitCodeOf(new TypeError("x")), 1);
    assert.equal(exitCodeOf("x"), 1);
  });
});

describe("describeFailure", () => {
  it("names each wrong part of the input, and when to try again", () => {
    const errors = [{ pointer: "/role", code: "enum", detail: "must be a role" }];
    const error = new StewardError("validation_failed", "The body is not valid.", {
      details: { errors, retryAfterSeconds: 30 },
    });
    assert.equal(
      describeFailure("steward", error),
      "steward: The body is not valid.\n  /role: must be a role\nTry again in 30 seconds.",
    );
  });

  for (const [code, message] of [
    ["setup_required", "This device has no administrator yet."],
    ["state_damaged", "users.json cannot be read."],
    ["second_factor_unavailable", "The key is gone."],
    ["no_time_source", "No server answers."],
    ["rate_limited", "The clock was measured a moment ago. Try again in 5 s."],
  ] as const) {
    it(`does not advise to try again where that is no help, or said already: ${code}`, () => {
      const error = new StewardError(code, message, { details: { retryAfterSeconds: 5 } });
      assert.equal(describeFailure("steward", error), `steward: ${message}`);
    });
  }

  it("says what the device thinks of its clock where that may be why", () => {
    const clock = { server_time: "2001-02-03T04:05:06.000Z", synchronised: false, skew_suspected: true };
    const refusal = new AgentRefusal("totp_invalid", { code: "totp_invalid", detail: "Not right.", clock });
    assert.equal(
      describeFailure("steward", refusal),
      "steward: Not right.\nThe device says it is 2001-02-03T04:05:06.000Z; its clock is not trusted, and the code belongs to another time.",
    );
  });

  it("keeps an agent's text from driving the terminal or forging a line", () => {
    const error = new StewardError("not_found", "\u001b[2J\nsteward: all is well");
    assert.equal(describeFailure("steward", error), "steward: \\x1b[2J\\x0asteward: all is well");
  });
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
