import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import type { CallOptions } from "../../lab/agents/running-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { errorCodes } from "../../src/contract/error-codes.ts";
import { errorCodesOf } from "../../src/contract/openapi/answers.ts";
import { type OperationId, operationIds, operationOf } from "../../src/contract/operations.ts";

const tests = join(import.meta.dirname, "..");

/** The tests' texts, but not this file's, name the codes that tests look for in answers. */
const toldByTests = readdirSync(tests, { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts") && !name.endsWith("declared-statuses.test.ts"))
  .map((name) => readFileSync(join(tests, name), "utf8"))
  .join("\n");

/** These take a client that is too slow, or an agent that fails inside: other tests do so, and name neither code. */
const toldOtherwise = ["request_timeout", "internal_error"];

/** A request that must get this status, of the operations that it is about. */
interface Provocation {
  status: number;
  concerns: (id: OperationId) => boolean;
  options: (id: OperationId) => CallOptions & { query?: string; isElsewhere?: boolean };
}

describe("the statuses that the contract announces", () => {
  let narrowToken: string;
  const provoked = new Map<OperationId, Set<number>>();

  const agent = ofSuite(startCheckedAgent);
  const fresh = ofSuite(startCheckedAgent);
  const admin = ofSuite(() => agent.signedInAdmin());
  before(async () => {
    const body = { name: "narrow", scopes: ["users:read"] };
    narrowToken = (await agent.call("POST", "/api/tokens", { token: admin.token, body })).json.token;
  });

  /** With the ids of what there is, or of what there is not. */
  const pathOf = (id: OperationId, isElsewhere = false): string => {
    const { path, access } = operationOf(id);
    const nought = "0".repeat(32);
    return path
      .replace("{sid}", `ses_${nought}`)
      .replace("{passkey}", `psk_${nought}`)
      .replace("{name}", isElsewhere ? "nothing" : "settings")
      .replace("/tokens/{id}", `/tokens/tok_${nought}`)
      .replace("{id}", isElsewhere && access !== "self" ? `usr_${nought}` : admin.id);
  };
  const has = (id: OperationId, status: number) =>
    errorCodesOf(operationOf(id)).some((code) => errorCodes[code].status === status);
  const isOpen = (id: OperationId) => operationOf(id).access === "open";
  /** A user, or a program, with the permission. */
  const allowed = (id: OperationId): CallOptions => {
    const { access, path } = operationOf(id);
    if (access === "local" || path === "/api/setup/restore") return { local: true };
    return { token: access === "token" ? narrowToken : admin.token };
  };
  const withBody = (id: OperationId): CallOptions =>
    operationOf(id).body
      ? { ...allowed(id), body: {} }
      : {
          ...allowed(id),
          ...(operationOf(id).upload && { headers: { "content-type": "application/octet-stream" } }),
        };

  const provocations: Record<string, Provocation> = {
    "a client that takes neither JSON nor a stream": {
      status: 406,
      // Scrapers and clients of files are answered whatever they ask for.
      concerns: (id) => {
        const { mediaType, stream } = operationOf(id).response;
        return mediaType === undefined || stream === true;
      },
      options: () => ({ headers: { accept: "text/html, application/json;q=0" } }),
    },
    "a name that is not the device's": {
      status: 421,
      concerns: () => true,
      options: () => ({ headers: { host: "evil.example" } }),
    },
    "a header of 20 kB": {
      status: 431,
      concerns: () => true,
      options: () => ({ headers: { "x-large": "y".repeat(20_000) } }),
    },
    "a browser on the local socket": {
      status: 403,
      concerns: () => true,
      options: () => ({ local: true, headers: { origin: "http://evil.example" } }),
    },
    "a stranger": { status: 401, concerns: (id) => !isOpen(id), options: () => ({}) },
    "a parameter that is not known": {
      status: 400,
      concerns: () => true,
      options: (id) => ({ ...withBody(id), query: "?of_no_use=1" }),
    },
    "a body that is too large": {
      status: 413,
      concerns: (id) => operationOf(id).body !== undefined,
      // Root may send more, for a configuration.
      options: (id) => ({ ...allowed(id), body: { x: "y".repeat(allowed(id).local ? 600_000 : 70_000) } }),
    },
    "a body of another type": {
      status: 415,
      concerns: (id) => (operationOf(id).body ?? operationOf(id).upload) !== undefined,
      options: (id) => ({ ...allowed(id), body: "{}", headers: { "content-type": "text/plain" } }),
    },
    "an ETag of before": {
      status: 412,
      concerns: (id) => has(id, 412) || id === "deleteUser",
      options: (id) => ({ ...withBody(id), headers: { "if-match": '"of-before"' } }),
    },
    "an API token that does not reach so far": {
      status: 403,
      concerns: (id) => {
        const { access, scope } = operationOf(id);
        return access !== "open" && access !== "token" && scope !== "users:read";
      },
      options: (id) => ({ ...withBody(id), token: narrowToken, local: false }),
    },
    "what there is not": {
      status: 404,
      concerns: (id) => {
        const { pathParameters, access, body } = operationOf(id);
        return pathParameters !== undefined && access !== "self" && access !== "open" && body === undefined;
      },
      options: (id) => ({ ...allowed(id), isElsewhere: true }),
    },
  };

  for (const [what, { status, concerns, options }] of Object.entries(provocations)) {
    for (const id of operationIds.filter(concerns)) {
      it(`${id}: ${status} for ${what}, as announced`, async () => {
        assert.ok(has(id, status), "it is not announced");
        const { query = "", isElsewhere, ...sent } = options(id);
        const path = `${pathOf(id, isElsewhere)}${query}`;
        // The device with an administrator refuses the first run before it looks at the rest.
        const asked = id === "setUp" ? fresh : agent;
        const answer = await asked.call(operationOf(id).method, path, sent);
        assert.equal(answer.status, status, answer.text);
        provoked.set(id, (provoked.get(id) ?? new Set()).add(status));
      });
    }
  }

  for (const id of operationIds.filter((one) => !operationOf(one).beforeSetup)) {
    it(`${id}: 503 before there is an administrator, as announced`, async () => {
      const answer = await fresh.call(operationOf(id).method, pathOf(id));
      assert.deepEqual([answer.status, answer.json.code], [503, "setup_required"]);
      provoked.set(id, (provoked.get(id) ?? new Set()).add(503));
    });
  }

  it("are all answered here, or looked for by another test", () => {
    const silent = operationIds.flatMap((id) =>
      errorCodesOf(operationOf(id))
        .filter((code) => !provoked.get(id)?.has(errorCodes[code].status))
        .filter((code) => !toldByTests.includes(`"${code}"`) && !toldOtherwise.includes(code))
        .map((code) => `${id} ${errorCodes[code].status} ${code}`),
    );
    assert.deepEqual(silent, []);
  });
});
