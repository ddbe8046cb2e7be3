import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ErrorCode, errorCodes } from "../../../src/contract/error-codes.ts";
import { refusalOf } from "../../../src/contract/operations/refusals.ts";
import { operationIds, operationOf } from "../../../src/contract/operations.ts";

/** By hand: `s` is a refused sign-in, `r` a refused request, `-` no refusal. `code/reason` is the code with that reason. */
const table: Record<string, string> = {
  //                                a sign-in  another way in  a session's renewal  a session  a program
  authentication_required: "        s          r               -                    r          r",
  invalid_credentials: "            s          s               s                    r          r",
  totp_required: "                  -          -               -                    -          r",
  totp_invalid: "                   s          s               s                    r          r",
  totp_reused: "                    s          s               s                    r          r",
  recovery_code_invalid: "          s          s               s                    r          r",
  passkey_invalid: "                s          s               s                    r          r",
  challenge_invalid: "              -          -               -                    -          r",
  step_up_required: "               -          -               -                    -          r",
  invalid_token: "                  s          r               r                    r          r",
  "invalid_token/expired": "        -          -               -                    -          r",
  "invalid_token/clock_epoch": "    -          -               -                    -          r",
  "invalid_token/revoked": "        -          -               -                    -          r",
  "invalid_token/signature": "      -          -               -                    -          r",
  "invalid_token/binding": "        -          -               -                    -          r",
  "invalid_token/malformed": "      s          r               r                    r          r",
  "invalid_token/source": "         s          r               r                    r          r",
  setup_token_required: "           -          -               -                    -          r",
  setup_token_invalid: "            s          s               s                    r          r",
  provider_refused: "               s          s               s                    r          r",
  "provider_refused/flow": "        s          s               s                    r          r",
  "provider_refused/access_denied": "-         -               -                    -          r",
  forbidden: "                      s          r               r                    r          r",
  insufficient_scope: "             s          r               r                    r          r",
  token_not_allowed: "              s          r               r                    r          r",
  two_factor_enrolment_required: "  -          -               -                    -          r",
  password_wrong: "                 s          s               s                    r          r",
  password_change_required: "       -          -               -                    -          r",
  role_missing: "                   s          s               s                    r          r",
  too_many_attempts: "              s          s               s                    r          r",
  rate_limited: "                   s          r               r                    r          r",
  account_locked: "                 s          s               s                    r          r",
};

const ways = [
  ...(["login", "recoverTwoFactor", "refresh", "reauthenticate"] as const).map((id) => ({
    id,
    by: "person",
  })),
  { id: "getStatus", by: "program" },
] as const;

const signs = { "sign_in.refused": "s", "request.refused": "r", none: "-" };

describe("the event of an error", () => {
  it("is decided for each code that denies something, and for no other", () => {
    const codes = Object.entries(errorCodes);
    const denying = codes.filter(([, { status }]) => [401, 403, 429].includes(status)).map(([code]) => code);
    const found = codes.filter(([, row]) => "refuses" in row).map(([code]) => code);
    assert.deepEqual(found, denying);
    const rows = new Set(Object.keys(table).map((row) => row.split("/")[0]));
    assert.deepEqual([...rows].sort(), denying.sort());
    for (const [code, row] of codes.filter(([, row]) => !("refuses" in row)))
      for (const id of operationIds)
        assert.equal(refusalOf(operationOf(id), code as ErrorCode), null, `${code} ${row.status}`);
  });

  for (const [row, line] of Object.entries(table))
    it(`${row}: ${line.trim().replace(/\s+/g, " ")}`, () => {
      const [code, reason] = row.split("/") as [ErrorCode, string?];
      const details = reason === undefined ? {} : { reason };
      const found = ways.map(
        ({ id, by }) => signs[refusalOf(operationOf(id), code, details, by === "program") ?? "none"],
      );
      assert.deepEqual(found, line.trim().split(/\s+/));
    });

  it("of an API token that is refused is a refusal for any reason, also where no account has it", () => {
    for (const about of [{ id: "tok_1", name: "ana/backup" }, null]) {
      const found = refusalOf(operationOf("getStatus"), "invalid_token", { reason: "expired", about });
      assert.equal(found, "request.refused");
    }
  });
});
