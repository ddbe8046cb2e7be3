/**
 * `make api-clients`: clients for the API as their authors would make them. Two generators read the document, one of types and one of functions, TypeScript
 * compiles their output and a program under `strict`, and the program runs against an agent: it signs in, lists users,
 * changes a setting, reads the status, and understands an error.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { copyFileSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { startAgentInProcess } from "../../agents/agent-in-process.ts";
import { adminName, adminPassword, type RunningAgent } from "../../agents/running-agent.ts";
import { linesOf } from "../../basics/table.ts";

const root = join(import.meta.dirname, "../../..");
const packages = process.argv[2] ?? "";
const [document, work] = [join(root, "dist/openapi.json"), join(root, ".cache/api-clients")];
/** Longer than any of these takes on a small machine. */
const options = { timeout: 300_000, env: { ...process.env, FORCE_COLOR: "0" } };

interface Client {
  readonly name: string;
  /** Beside this file; not TypeScript to the checks here, because what it imports is not in the repository. */
  readonly program: string;
  readonly generate: (into: string) => string[];
}

const bin = (path: string): string => join(packages, "node_modules", path);
const clients: readonly Client[] = [
  {
    name: "openapi-typescript 7.13, openapi-fetch 0.17",
    program: "openapi-fetch.txt",
    generate: (into) => [bin("openapi-typescript/bin/cli.js"), document, "-o", join(into, "schema.d.ts")],
  },
  {
    name: "@hey-api/openapi-ts 0.91",
    program: "hey-api.txt",
    generate: (into) => [bin("@hey-api/openapi-ts/bin/run.js"), "--file", heyApiSettings(into)],
  },
];

/** Node takes only imports with their extensions. */
function heyApiSettings(into: string): string {
  const output = { path: into, importFileExtension: ".js" };
  const settings = { input: document, output, plugins: ["@hey-api/client-fetch"], logs: { file: false } };
  const file = join(into, "../openapi-ts.config.mjs");
  writeFileSync(file, `export default ${JSON.stringify(settings)};\n`);
  return file;
}

const run = (args: readonly string[], cwd: string): Promise<{ stdout: string }> =>
  promisify(execFile)(process.execPath, args, { ...options, cwd });

/** The row of a generated client in the table. Throws where one of the steps fails. */
async function tryClient(client: Client, agent: RunningAgent): Promise<string[]> {
  const { directory, files } = await compiled(client);
  const { stdout } = await run(
    [join(directory, "out/main.js"), agent.url, adminName, adminPassword],
    directory,
  );
  const { json: settings } = await agent.call("GET", "/api/system", { local: true });
  const { json: status } = await agent.call("GET", "/api/status", { local: true });
  assert.equal(settings.device.location, "hall 2");
  assert.deepEqual(JSON.parse(stdout), {
    users: [adminName],
    location: "hall 2",
    state: status.state,
    needs: true,
    code: "not_found",
    status: 404,
  });
  return [client.name, `${files} generated`, "compiles under strict", "sign-in, list, change, status, error"];
}

/** Generates a client again, and compiles it with its program. */
async function compiled(client: Client): Promise<{ directory: string; files: number }> {
  const directory = join(work, client.program.replace(/\.txt$/, ""));
  const generated = join(directory, "generated");
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(generated, { recursive: true });
  symlinkSync(join(packages, "node_modules"), join(directory, "node_modules"));
  await run(client.generate(generated), directory);
  copyFileSync(join(import.meta.dirname, client.program), join(directory, "main.ts"));
  writeFileSync(join(directory, "package.json"), '{"type": "module"}\n');
  const types = ["--types", "node", "--typeRoots", join(root, "node_modules/@types")];
  const compiler = [bin("typescript/bin/tsc"), "--strict", "--target", "es2022", "--module", "nodenext"];
  await run([...compiler, ...types, "--outDir", "out", "main.ts"], directory);
  const entries = readdirSync(generated, { recursive: true, withFileTypes: true });
  return { directory, files: entries.filter((one) => one.isFile()).length };
}

const agent = await startAgentInProcess();
try {
  await agent.signedInAdmin();
  const rows: string[][] = [];
  for (const client of clients) {
    await agent.call("PUT", "/api/system", { local: true, body: { device: { location: "" } } });
    rows.push(await tryClient(client, agent));
  }
  for (const line of linesOf(rows)) console.log(line);
} catch (error) {
  const { stdout = "", stderr = "" } = error as { stdout?: string; stderr?: string };
  console.error(`${String(error)}\n${stdout}${stderr}`.slice(0, 8_000));
  process.exitCode = 1;
} finally {
  await agent.dispose();
}
