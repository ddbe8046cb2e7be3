import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, it } from "node:test";
import vm from "node:vm";
import { build } from "esbuild";
import { operationRows } from "../../scripts/build/operation-rows.ts";
import { deviceEntries } from "../../scripts/build/programs.ts";
import { slimPackages } from "../../scripts/packages-in-bundles.ts";
import type { Operation } from "../../src/contract/operations/operation.ts";
import { operations } from "../../src/contract/operations/table.ts";

const root = join(import.meta.dirname, "../..");

describe("the device's programs", () => {
  it("are made of no file of the publisher's", async () => {
    const { metafile } = await build({
      entryPoints: [...deviceEntries],
      ...{ bundle: true, platform: "node", packages: "external", format: "esm", outdir: "unwritten" },
      ...{ write: false, metafile: true, logLevel: "silent", absWorkingDir: root },
    });
    const inputs = Object.keys(metafile.inputs);
    assert.ok(inputs.includes("src/updates/updater.ts") && inputs.includes("src/cli/command-table.ts"));
    assert.ok(!inputs.some((path) => /^src\/publish(er|ing)\//.test(path)));
  });

  // The mark of its configuration, and a refusal.
  for (const word of [/steward_repository/, /Nothing was published, because devices would refuse it/])
    it(`have none of its words in what is built, where the publisher's own has them: ${word}`, () => {
      const isIn = (directory: string): boolean =>
        readdirSync(join(root, directory), { recursive: true, encoding: "utf8" })
          .filter((path) => /\.c?js$/.test(path))
          .some((path) => word.test(readFileSync(join(root, directory, path), "utf8")));
      assert.deepEqual([isIn("dist-publisher"), isIn("dist")], [true, false]);
    });

  for (const name of ["clock-steering.node", "steward-helper", "steward-logs"])
    it(`have what the compiler can do against faults of memory in C: ${name}`, () => {
      const options = ["--wide", "--dyn-syms", "--dynamic", "--program-headers"];
      const found = execFileSync("readelf", [...options, join(root, "dist", name)], { encoding: "utf8" });
      // At another address each time, and no code on the stack.
      for (const part of [/__stack_chk_fail/, /Flags: NOW/, /Elf file type is DYN/, /GNU_RELRO/])
        assert.match(found, part);
      assert.match(found, /GNU_STACK.* RW /);
      assert.doesNotMatch(found, / RWE /);
    });
});

describe("an operation as a program has it", async () => {
  const module = await import(`data:text/javascript,${encodeURIComponent(operationRows())}`);
  const rows = module.operations as Record<string, Operation>;

  it("has each member of the contract's but summary, description and schemas", () => {
    const entries = Object.entries<Operation>(operations);
    assert.deepEqual(Object.keys(rows), Object.keys(operations));
    const empty = (schema: unknown) => (schema ? {} : undefined);
    const names = (members: object | undefined) => members && Object.keys(members);
    for (const [id, { summary: _, description: __, ...operation }] of entries) {
      const { pathParameters, query, body, response } = operation;
      const { pathParameters: ids, query: members, ...short } = rows[id] ?? assert.fail(id);
      assert.deepEqual([names(ids), !members], [names(pathParameters), !query], id);
      const { pathParameters: ___, query: ____, ...others } = operation;
      assert.deepEqual(
        { body: undefined, ...short, response: { schema: undefined, ...short.response } },
        { ...others, body: empty(body), response: { ...response, schema: empty(response.schema) } },
        id,
      );
    }
  });

  it("says which parameters of its query are no text", () => {
    const query = rows.listEvents?.query;
    assert.ok(query && "properties" in query);
    const { limit, cursor } = query.properties as Record<string, object>;
    assert.deepEqual([limit, cursor], [{ type: "integer" }, { type: "string" }]);
  });
});

it("node:assert as conf has it in a bundle tells apart two stores that differ, and takes one without a prototype", async () => {
  const resolveDir = join(root, "node_modules/conf/dist/source");
  const contents = `module.exports = require("node:assert");`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir, sourcefile: join(resolveDir, "a.js") },
    ...{ bundle: true, platform: "node", format: "cjs", write: false, plugins: [slimPackages] },
  });
  const module: { exports: { deepEqual?: (one: unknown, other: unknown) => void } } = { exports: {} };
  vm.runInThisContext(`(module, require) => {${outputFiles[0]?.text}}`)(
    module,
    createRequire(import.meta.url),
  );
  const { deepEqual = assert.fail } = module.exports;
  assert.throws(() => deepEqual({ users: [{ name: "anna" }] }, { users: [{ name: "bert" }] }));
  assert.throws(() => deepEqual({ users: [] }, { users: [], added: 1 }));
  const store = { users: [{ name: "anna" }] };
  // A difference would have conf write the store at each reading.
  deepEqual(store, Object.assign(Object.create(null), structuredClone(store)));
});
