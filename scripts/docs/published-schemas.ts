import { configuration } from "../../src/contract/configuration.ts";
import { hostFile } from "../../src/contract/host-file/host-file.ts";
import { annotationKeywords } from "../../src/contract/schemas/settings.ts";

/** The schema of the file for `steward apply` is beside the page about it. */
export const configurationSchemaPath = "docs/apply.schema.json";

/** The same of the host file. */
export const hostFileSchemaPath = "docs/host-file.schema.json";

export const configurationSchema = () => published("A configuration for steward apply", configuration);
export const hostFileSchema = () => published("The host file of Steward", hostFile);

/** A schema as editors and other validators take it: without the words that only this program knows. */
function published(title: string, own: object): string {
  const $schema = "https://json-schema.org/draft/2020-12/schema";
  return `${JSON.stringify({ $schema, title, ...(standard(own) as object) }, undefined, 2)}\n`;
}

function standard(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(standard);
  if (typeof value !== "object" || value === null) return value;
  const own: readonly string[] = annotationKeywords;
  const kept = Object.entries(value).filter(([key]) => !own.includes(key));
  return Object.fromEntries(kept.map(([key, member]) => [key, standard(member)]));
}
