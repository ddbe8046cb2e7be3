/** `make api-released`: keeps the API as it is released now, as what later ones are compared with. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { openApiDocument } from "../../src/contract/openapi/document.ts";
import { apiVersion } from "../../src/system/version.ts";
import { type ApiDocument, breakages } from "./document-changes.ts";

/** The API of a version is kept here as it was last released. */
export const releasedPath = join(import.meta.dirname, `../../test/vectors/api/released-${apiVersion}.json`);

/** The present document. */
export function presentDocument(): ApiDocument {
  return JSON.parse(JSON.stringify(openApiDocument(packageJson.version))) as ApiDocument;
}

/** Writes only the parts that programs go by, without words: a line for each path and each shape. */
function textOf({ paths, components }: ApiDocument): string {
  const line = ([name, value]: [string, unknown]): string =>
    `${JSON.stringify(name)}: ${JSON.stringify(value, withoutWords)}`;
  const lines = (members: object): string => Object.entries(members).map(line).join(",\n");
  const { schemas, parameters = {} } = components;
  return `{"paths": {\n${lines(paths)}\n},\n"components": {"schemas": {\n${lines(schemas)}\n},\n"parameters": {\n${lines(parameters)}\n}}}\n`;
}

function withoutWords(key: string, value: unknown): unknown {
  // A member of a shape may be called so, and is an object.
  const isText = ["description", "summary", "x-writer"].includes(key) && typeof value === "string";
  const isList = ["tags", "examples"].includes(key) && Array.isArray(value);
  return isText || isList ? undefined : value;
}

if (process.argv[1] === import.meta.filename) {
  const present = presentDocument();
  const released =
    existsSync(releasedPath) && (JSON.parse(readFileSync(releasedPath, "utf8")) as ApiDocument);
  const broken = released ? breakages(released, present) : [];
  if (broken.length > 0) {
    console.error(`Programs for api_version ${apiVersion} would break:\n${broken.join("\n")}`);
    process.exitCode = 1;
  } else {
    writeFileSync(releasedPath, textOf(present));
    console.log(`${releasedPath}: written`);
  }
}
