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
import type { Operation } from "../../src/contract/operations/operation.ts";
import { operationOf } from "../../src/contract/operations.ts";
import { scopeNames } from "../../src/contract/scopes.ts";
import { roleNames } from "../../src/contract/shapes.ts";
import { seen } from "../../src/contract/text/visible-text.ts";

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

  it("is OpenAPI 3.1, and there before setup without a token", () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
  });

  it("is compressed where the client takes it, and the same", async () => {
    const answer = await fetch(`${agent.url}${path}`, { headers: { "accept-encoding": "gzip" } });
    const { headers } = answer;
    assert.deepEqual([headers.get("content-encoding"), headers.get("vary")], ["gzip", "Accept-Encoding"]);
    assert.ok(Number(headers.get("content-length")) * 4 < text.length, String(headers.get("content-length")));
    assert.equal(await answer.text(), text);
  });

  it("is answered with 304 to a client that has it, and with all of it to one that has another", async () => {
    const { headers } = await agent.call("GET", path);
    assert.equal(headers["cache-control"], "no-cache");
    const again = await agent.call("GET", path, { headers: { "if-none-match": String(headers.etag) } });
    assert.deepEqual([again.status, again.text, again.headers.etag], [304, "", headers.etag]);
    const other = await agent.call("GET", path, { headers: { "if-none-match": '"other"' } });
    assert.deepEqual([other.status, other.text], [200, text]);
  });

  it("is refused to a client that takes neither form", async () => {
    const none = await agent.call("GET", path, { headers: { "accept-encoding": "br, identity;q=0" } });
    assert.deepEqual([none.status, none.json.code], [406, "not_acceptable"]);
  });

  for (const asked of ["/api", "/api/version", path, "/api/users"]) {
    it(`is named by the answer of ${asked} as the description of the service (RFC 8631)`, async () => {
      const { headers } = await agent.call("GET", asked);
      assert.match(String(headers.link), /^<\/api\/openapi\.json>; rel="service-desc"/);
    });
  }

  it("has every operation that a client can call under its method and path, and no other", () => {
    const found = Object.entries(document.paths).flatMap(([of, item]) =>
      Object.entries(item).map(([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${of}`),
    );
    const expected = documentedIds.map((id) => `${id} ${operationOf(id).method} ${operationOf(id).path}`);
    assert.deepEqual(found.sort(), expected.sort());
  });

  for (const id of documentedIds) {
    const { access, body, upload, response, scope } = operationOf(id);
    it(`describes ${id}: its body, its success and who may call it`, () => {
      const { requestBody, responses, security, tags, description } = described(id);
      assert.equal(description, operationOf(id).description);
      assert.ok(
        document.tags.some(({ name }) => name === tags[0]),
        `tag ${tags[0]}`,
      );
      const sent = requestBody?.content["application/json"]?.schema;
      if (body) assert.deepEqual(plain(expanded(document, sent)), plain(body));
      else assert.equal(sent, undefined);
      const file = requestBody?.content["application/octet-stream"]?.schema;
      assert.equal(file?.["x-max-bytes"], upload?.maximumBytes);
      const content = responses[String(response.status)]?.content ?? {};
      assert.deepEqual(Object.keys(content), mediaTypesOf(response));
      const isOpen = security.some((one) => Object.keys(one).length === 0);
      assert.equal(isOpen, access === "open");
      const scopes = security.flatMap(({ apiToken = [] }) => apiToken);
      assert.deepEqual(scopes, scope === undefined ? [] : [scope]);
    });
    it(`calls what ${id} takes and answers by a name: give it one beside its schema in src/contract/schemas`, () => {
      const { requestBody, responses } = described(id);
      const written = [...Object.values(requestBody?.content ?? {}), ...contentsOf(responses)];
      for (const { schema } of written.filter(() => !isAnyObject(response.schema))) {
        if (schema.format === "binary") continue;
        const named = (schema.contentSchema ?? schema) as Schema;
        assert.match(String(named.$ref), /^#\/components\/schemas\/[A-Z]\w+$/);
      }
    });
  }

  for (const id of documentedIds) {
    it(`declares the errors of ${id} by default, and not by a range, which breaks generators of clients`, () => {
      const { responses } = described(id);
      const { response, errors = [] } = operationOf(id);
      const { [String(response.status)]: success, ...problems } = responses;
      assert.ok(success && problems.default, Object.keys(responses).join(" "));
      for (const [status, { $ref = "" }] of Object.entries(problems)) {
        assert.match(status, /^(?:409|412|429|default)$/);
        const { content = {} } = document.components.responses[$ref.split("/").at(-1) ?? ""] ?? {};
        assert.deepEqual(content, {
          "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } },
        });
      }
      for (const status of errors.map((code) => errorCodes[code].status)) {
        const isApart = [409, 412, 429].includes(status);
        assert.ok(!isApart || status in problems, `${status} has a meaning of its own`);
      }
    });
  }

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
    for (const [name, example] of Object.entries(examples)) {
      assertFits(shapes[name as ShapeName], example, name);
    }
  });
});

describe("Spectral", () => {
  it("finds nothing in the document, by its rules for OpenAPI", async () => {
    assert.deepEqual(await spectralFindings(openApiDocument("1.0.0")), []);
  });

  it("finds a default that does not fit, an operation without a description, and a scheme that there is not", async () => {
    const document = JSON.parse(JSON.stringify(openApiDocument("1.0.0")));
    document.components.schemas.SignInRequest.properties.refresh.default = "header";
    document.paths["/api/users"].get.description = undefined;
    document.paths["/api/users"].post.security = [{ password: [] }];
    // All else that the document has costs a second, and was judged above.
    document.paths = { "/api/users": document.paths["/api/users"] };
    const found = (await spectralFindings(document)).join("\n");
    assert.match(found, /oas3-valid-schema-example/);
    assert.match(found, /operation-description/);
    assert.match(found, /oas3-operation-security-defined/);
  });
});

function mediaTypesOf({ schema, stream, mediaType }: Operation["response"]): string[] {
  if (schema === undefined) return [];
  const [type = ""] = (mediaType ?? "application/json").split(";");
  return [stream ? "text/event-stream" : type];
}

function contentsOf(responses: Described["responses"]): { schema: Schema }[] {
  return Object.values(responses).flatMap(({ content = {} }) => Object.values(content));
}

function isAnyObject(schema: object | undefined): boolean {
  return JSON.stringify(schema) === '{"type":"object"}';
}

/** The schema with what its references lead to in their place, and members beside a reference over it. */
function expanded(document: Document, value: unknown): unknown {
  if (Array.isArray(value)) return value.map((one) => expanded(document, one));
  if (typeof value !== "object" || value === null) return value;
  const { $ref, ...rest } = value as Schema;
  const name = typeof $ref === "string" ? ($ref.split("/").at(-1) ?? "") : undefined;
  const target = name === undefined ? {} : document.components.schemas[name];
  const members = Object.entries({ ...target, ...rest });
  return Object.fromEntries(members.map(([key, member]) => [key, expanded(document, member)]));
}

/** Returns a schema without the words about it. */
function plain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value !== "object" || value === null) return value;
  const words = ["examples", "description", "title", "x-writer", "x-redacted", "x-secret", "x-expected"];
  const { not, ...rest } = value as Schema;
  const members = Object.entries(rest).filter(([key, member]) => !words.includes(key) && member !== seen);
  // For members that must not be there together the document has empty definitions, which allow all.
  const apart = not === undefined ? {} : { not: (not as Schema).required };
  const shown = ([key, member]: readonly [string, unknown]) =>
    // The document leaves out which characters cannot be seen.
    key === "pattern" ? String(member).replace(seen, "^") : plain(member);
  return { ...Object.fromEntries(members.map((one) => [one[0], shown(one)])), ...apart };
}

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
