import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { before, describe, it } from "node:test";
import { type RulesetDefinition, Spectral } from "@stoplight/spectral-core";
import { oas } from "@stoplight/spectral-rulesets";
import { assertFits } from "../../lab/agents/answer-validators.ts";
import { startCheckedAgent } from "../../lab/agents/checked-agent.ts";
import { ofSuite } from "../../lab/basics/ending.ts";
import { scratchDirectory } from "../../lab/basics/scratch.ts";
import { errorCodes } from "../../src/contract/error-codes.ts";
import { documentedIds, openApiDocument } from "../../src/contract/openapi/document.ts";
import { examples, type ShapeName, shapes } from "../../src/contract/openapi/shapes.ts";
import { operationOf } from "../../src/contract/operations.ts";
import { scopeNames } from "../../src/contract/scopes.ts";
import { roleNames } from "../../src/contract/shapes.ts";

type Schema = Record<string, unknown>;

interface Response {
  $ref?: string;
  description?: string;
  content?: Record<string, { schema: Schema }>;
}

interface Described {
  operationId: string;
  description: string;
  tags: string[];
  security: Record<string, string[]>[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, Response>;
}

interface Document {
  openapi: string;
  tags: { name: string }[];
  paths: Record<string, Record<string, Described>>;
  components: { schemas: Record<string, Schema>; responses: Record<string, Response> };
}

const path = "/api/openapi.json";

describe("GET /api/openapi.json", () => {
  const directory = scratchDirectory();
  let document: Document;
  let text: string;
  const agent = ofSuite(startCheckedAgent);
  before(async () => {
    text = (await agent.call("GET", path)).text;
    document = JSON.parse(text) as Document;
  });
  const described = (id: (typeof documentedIds)[number]): Described => {
    const { method, path: of } = operationOf(id);
    const found = document.paths[of]?.[method.toLowerCase()];
    assert.ok(found, `${id} is not in the document: run make build`);
    return found;
  };

  it("is compressed where the client takes it, and the same", async () => {
    const answer = await fetch(`${agent.url}${path}`, { headers: { "accept-encoding": "gzip" } });
    const { headers } = answer;
    assert.deepEqual([headers.get("content-encoding"), headers.get("vary")], ["gzip", "Accept-Encoding"]);
    assert.ok(Number(headers.get("content-length")) * 4 < text.length, String(headers.get("content-length")));
    assert.equal(await answer.text(), text);
  });

  it("is OpenAPI 3.1, before setup and without a token, and 304 to a client that has it", async () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
    const { headers } = await agent.call("GET", path);
    assert.equal(headers["cache-control"], "no-cache");
    const again = await agent.call("GET", path, { headers: { "if-none-match": String(headers.etag) } });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", headers.etag]);
    const other = await agent.call("GET", path, { headers: { "if-none-match": '"other"' } });
    assert.deepEqual([other.status, other.text], [200, text]);
  });

  it("is named by every answer as the description of the service (RFC 8631)", async () => {
    for (const asked of ["/api", "/api/version", path, "/api/users"])
      assert.match(
        String((await agent.call("GET", asked)).headers.link),
        /^<\/api\/openapi\.json>; rel="service-desc"/,
      );
  });

  it("has every operation that a client can call under its method and path, and no other", () => {
    const found = Object.entries(document.paths).flatMap(([of, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${of}`),
    );
    const expected = documentedIds.map((id) => `${id} ${operationOf(id).method} ${operationOf(id).path}`);
    assert.deepEqual(found.sort(), expected.sort());
  });

  it("calls what each operation takes and answers by a name: give it one beside its schema in src/contract/schemas", () => {
    for (const id of documentedIds) {
      if (JSON.stringify(operationOf(id).response.schema) === '{"type":"object"}') continue;
      const { requestBody, responses } = described(id);
      const contents = [requestBody, ...Object.values(responses)].flatMap((one) =>
        Object.values(one?.content ?? {}),
      );
      for (const { schema } of contents.filter((one) => one.schema.format !== "binary")) {
        const named = (schema.contentSchema ?? schema) as Schema;
        assert.match(String(named.$ref), /^#\/components\/schemas\/[A-Z]\w+$/, id);
      }
    }
  });

  it("has the error codes once, as an enumeration", () => {
    assert.deepEqual(document.components.schemas.ErrorCode?.enum, Object.keys(errorCodes));
    const problem = document.components.schemas.Problem as { properties: { code: Schema } };
    assert.equal(problem.properties.code.$ref, "#/components/schemas/ErrorCode");
    assert.equal(text.split('"update_payload_unsafe"').length, 2);
  });

  it("names roles and scopes that there are", () => {
    const known: readonly string[] = [...roleNames, "self", "local-root", ...scopeNames];
    for (const id of documentedIds) {
      const named = described(id).security.flatMap((one) => Object.values(one).flat());
      for (const name of named) assert.ok(known.includes(name), `${id}: ${name}`);
    }
  });

  it("passes the rules that Redocly recommends, without a warning; one that does not declare a path parameter is refused", async () => {
    assert.ok(document.paths["/api/users/{id}"]?.get, "the path is one of the document");
    const wrong = { get: { operationId: "getUser", security: [] } };
    const small = { ...document, paths: { "/api/users/{id}": wrong }, components: {} };
    const [right, refused] = await lint(directory, [document, small]);
    assert.deepEqual(right?.problems, [], JSON.stringify(right));
    assert.ok(
      refused?.problems.some(({ ruleId }) => ruleId === "path-parameters-defined"),
      JSON.stringify(refused),
    );
  });
});

describe("the examples of the API", () => {
  it("are there for what each operation takes: give it one beside its schema in src/contract/schemas", () => {
    for (const id of documentedIds) {
      const { body } = operationOf(id);
      if (body === undefined) continue;
      const [name = "without a name"] = Object.entries(shapes).find(([, shape]) => shape === body) ?? [];
      assert.ok(name in examples, `${id}: there is no example of ${name}`);
    }
  });

  it("fit the shapes that they are of, as the contract has them", () => {
    assert.ok(Object.keys(examples).length > 30);
    for (const [name, example] of Object.entries(examples))
      assertFits(shapes[name as ShapeName], example, name);
  });
});

describe("Spectral", () => {
  it("finds nothing in the document, by its rules for OpenAPI", async () => {
    assert.deepEqual(await spectralFindings(openApiDocument("1.0.0")), []);
  });
});

/**
 * Findings of Spectral's rules for OpenAPI. It looks for the names in `security` only among the scopes of OAuth flows;
 * OpenAPI 3.1 (§4.8.30) allows them for every scheme, and the test above knows them: so those findings of schemes
 * without flows do not count.
 */
async function spectralFindings(document: object): Promise<string[]> {
  const spectral = new Spectral();
  spectral.setRuleset({ extends: [[oas as RulesetDefinition, "recommended"]] });
  const found = await spectral.run(document as Record<string, unknown>);
  return found
    .filter(({ message }) => !/must be listed among scopes\.$/.test(message))
    .map(({ code, message, path }) => `${path.join("/")}: ${code}: ${message}`);
}

const redocly = join(import.meta.dirname, "../../node_modules/@redocly/cli/bin/cli.js");

interface Findings {
  problems: { ruleId: string; message: string }[];
}

/** Returns the linter's findings in each document. It ends with 1 where it has found an error. */
async function lint(directory: string, documents: readonly object[]): Promise<Findings[]> {
  const files = documents.map((_, index) => join(directory, `${index}.json`));
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  for (const [index, file] of files.entries()) await writeFile(file, JSON.stringify(documents[index]));
  // Each operation declares its errors by `default`, which covers every 4XX: that rule only looks for a status.
  const rules = ["--extends=recommended", "--skip-rule=operation-4xx-response"];
  const args = [redocly, "lint", ...files, ...rules, "--format=json"];
  const output = await new Promise<string>((resolve) => {
    execFile(process.execPath, args, { cwd: directory, env }, (_, stdout) => resolve(stdout));
  });
  // One after the other, with nothing in between.
  return JSON.parse(`[${output.replaceAll(/^\}\{$/gm, "},{")}]`) as Findings[];
}
