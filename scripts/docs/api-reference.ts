/** `make api-reference`: the contract as one HTML page, which needs nothing from the network. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { openApiDocument } from "../../src/contract/openapi/document.ts";

const root = join(import.meta.dirname, "../..");
const page = resolve(process.argv[2] ?? join(root, "var/api-reference.html"));
const directory = mkdtempSync(join(tmpdir(), "steward-openapi-"));
try {
  const document = join(directory, "openapi.json");
  writeFileSync(document, JSON.stringify(openApiDocument(packageJson.version)));
  mkdirSync(dirname(page), { recursive: true });
  // Its scripts inside the page, and no font from elsewhere: it can be read on a machine without a network.
  const options = ["--inlineBundle", "--openapi.disableGoogleFont", "--title", "Steward: the API"];
  const quiet = { REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true", NODE_NO_WARNINGS: "1" };
  const words = ["build-docs", document, ...options, "--output", page];
  const env = { ...process.env, ...quiet };
  execFileSync(join(root, "node_modules/.bin/redocly"), words, { stdio: "pipe", cwd: directory, env });
  console.log(`Open ${page}`);
} finally {
  rmSync(directory, { recursive: true });
}
