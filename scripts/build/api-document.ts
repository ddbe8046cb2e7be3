import { writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { openApiDocument } from "../../src/contract/openapi/document.ts";

/** Bytes that the document may have: a client on a slow link asks for it, and people read it. */
const mostBytes = 150 * 1024;

/** Writes the contract as OpenAPI, and the same compressed beside it. Throws where it has grown too long. */
export function writeApiDocument(path: string, version: string): void {
  const text = JSON.stringify(openApiDocument(version));
  if (Buffer.byteLength(text) > mostBytes) {
    const size = `openapi.json has ${Buffer.byteLength(text)} bytes, more than ${mostBytes}`;
    throw new Error(`${size}: shorten words or examples`);
  }
  writeFileSync(path, text);
  writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
}
