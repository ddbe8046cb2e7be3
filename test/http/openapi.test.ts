import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { operationIds, operationOf } from "../../src/contract/operations.ts";
import { type CheckedAgent, startCheckedAgent } from "./checked-agent.ts";

interface Described {
  operationId: string;
  security: object[];
  requestBody?: { content: Record<string, { schema: object }> };
  responses: Record<string, { content?: Record<string, { schema: object; "x-event-data"?: object }> }>;
}

interface Document {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
}

describe("GET /api/openapi.json", () => {
  let agent: CheckedAgent;
  let directory: string;
  let document: Document;
  before(async () => {
    agent = await startCheckedAgent();
    directory = await mkdtemp(join(tmpdir(), "steward-openapi-"));
    document = (await agent.call("GET", "/api/openapi.json")).json as Document;
  });
  after(async () => {
    await agent.dispose();
    await rm(directory, { recursive: true, force: true });
  });

  it("is OpenAPI 3.1, and there before setup without a token", () => {
    assert.match(document.openapi, /^3\.1\.\d+$/);
  });

  it("has every operation of the contract under its method and path, and no other", () => {
    const found = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, { operationId }]) => `${operationId} ${method.toUpperCase()} ${path}`,
      ),
    );
    const expected = operationIds.map((id) => `${id} ${operationOf(id).method} ${operationOf(id).path}`);
    assert.deepEqual(found.sort(), expected.sort());
  });

  for (const id of operationIds) {
    const { method, path, access, body, response } = operationOf(id);
    it(`describes ${id}: its body, its success and who may call it`, () => {
      const described = document.paths[path]?.[method.toLowerCase()];
      const sent = described?.requestBody?.content["application/json"]?.schema;
      assert.deepEqual(sent, body && JSON.parse(JSON.stringify(body)));
      const success = described?.responses[String(response.status)];
      const schema = response.schema && JSON.parse(JSON.stringify(response.schema));
      const content = success?.content;
      if (response.stream) assert.deepEqual(content?.["text/event-stream"]?.["x-event-data"], schema);
      else assert.deepEqual(content?.["application/json"]?.schema, schema);
      const withoutToken = described?.security.some((one) => Object.keys(one).length === 0);
      assert.equal(withoutToken, access === "open");
    });
  }

  it("passes the specification's linter", async () => {
    const { code, output } = await lint(directory, "right.json", document);
    assert.equal(code, 0, output);
  });

  it("is what the linter judges: it refuses a path parameter that is not declared", async () => {
    const wrong = structuredClone(document);
    const item = wrong.paths["/api/users/{id}"];
    assert.ok(item?.get, "item?.get");
    wrong.paths["/api/users/{id}"] = {
      get: { operationId: "getUser", security: [] } as unknown as Described,
    };
    const { code, output } = await lint(directory, "wrong.json", wrong);
    assert.notEqual(code, 0);
    assert.match(output, /path-parameters-defined/);
  });
});

const redocly = join(import.meta.dirname, "../../node_modules/@redocly/cli/bin/cli.js");

function lint(directory: string, name: string, document: object): Promise<{ code: number; output: string }> {
  const file = join(directory, name);
  const env = { ...process.env, REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" };
  return writeFile(file, JSON.stringify(document)).then(
    () =>
      new Promise((resolve) => {
        const args = [redocly, "lint", file, "--extends=spec", "--format=stylish"];
        execFile(process.execPath, args, { cwd: directory, env }, (error, stdout, stderr) =>
          resolve({ code: error ? Number(error.code ?? 1) : 0, output: `${stdout}${stderr}` }),
        );
      }),
  );
}
