import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { openApiDocument } from "../../src/contract/openapi/document.ts";

/** Compressed bytes that the document may have: they are what a client on a slow link waits for. */
const mostBytes = 36 * 1024;

/** Writes the contract as OpenAPI, and the same compressed beside it. Throws where it has grown too long. */
export function writeApiDocument(path: string, version: string): void {
  const text = JSON.stringify(openApiDocument(version));
  const compressed = gzipSync(text, { level: 9 });
  if (compressed.length > mostBytes) {
    const size = `openapi.json has ${compressed.length} compressed bytes, more than ${mostBytes}`;
    throw new Error(`${size}: shorten words or examples`);
  }
  writeFileSync(path, text);
  writeFileSync(`${path}.gz`, compressed);
}
