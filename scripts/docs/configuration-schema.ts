import { configuration } from "../../src/contract/configuration.ts";
import { annotationKeywords } from "../../src/contract/schemas/settings.ts";

/** Where the schema of the file for `steward apply` lies, beside the page about it. */
export const configurationSchemaPath = "docs/apply.schema.json";

/** The schema as editors and other validators take it: without the words that only this program knows. */
export function configurationSchema(): string {
  const schema = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "A configuration for steward apply",
    ...(standard(configuration) as object),
  };
  return `${JSON.stringify(schema, undefined, 2)}\n`;
}

function standard(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(standard);
  if (typeof value !== "object" || value === null) return value;
  const own: readonly string[] = annotationKeywords;
  const kept = Object.entries(value).filter(([key]) => !own.includes(key));
  return Object.fromEntries(kept.map(([key, member]) => [key, standard(member)]));
}
