import type { Chance } from "../basics/chance.ts";
import { anyJson, anyText, draw, oneOf, percent, textFor } from "./draw.ts";
import type { Schema } from "./fitting.ts";

/** Members that are left out of what is optional, in percent. */
const leftOut = 60;

/** A value that fits the schema, as a rule: what rules say beyond it the agent has to refuse itself. */
export function fromSchema(schema: Schema, chance: Chance): unknown {
  if ("const" in schema) return schema.const;
  if (schema.enum) return oneOf(chance, schema.enum);
  const branches = schema.oneOf ?? schema.anyOf;
  const isRequirement = branches?.every((branch) => !("type" in branch) && branch.required !== undefined);
  if (branches && !isRequirement) return fromSchema(oneOf(chance, branches), chance);
  const { type } = schema;
  const chosen = typeof type === "string" || type === undefined ? type : oneOf(chance, type);
  if (chosen === "object") return objectFrom(schema, chance, branches && oneOf(chance, branches).required);
  if (chosen === "array") return arrayFrom(schema, chance);
  if (chosen === "string") return stringFrom(schema, chance);
  if (chosen === "integer" || chosen === "number") return numberFrom(schema, chance);
  if (chosen === "boolean") return percent(chance, 50);
  return chosen === "null" ? null : anyJson(chance, 1);
}

function objectFrom(schema: Schema, chance: Chance, more: readonly string[] = []): Record<string, unknown> {
  const { properties = {}, required = [], not } = schema;
  const value: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(properties)) {
    if (![...required, ...more].includes(name) && percent(chance, leftOut)) continue;
    value[name] = fromSchema(member, chance);
  }
  const together = not?.required ?? [];
  if (together.length > 0 && together.every((name) => name in value)) delete value[together[0] ?? ""];
  return value;
}

function arrayFrom(
  { items = {}, minItems = 0, maxItems = 3, uniqueItems }: Schema,
  chance: Chance,
): unknown[] {
  const length = minItems + draw(chance, Math.max(1, Math.min(maxItems, minItems + 3) - minItems + 1));
  const values = Array.from({ length }, () => fromSchema(items, chance));
  return uniqueItems ? [...new Set(values)] : values;
}

function stringFrom(schema: Schema, chance: Chance): string {
  const { pattern, format, minLength = 0, maxLength = 256 } = schema;
  if (format === "date-time") return oneOf(chance, ["2026-11-20T08:00:00.000Z", "2031-01-01T00:00:00.000Z"]);
  if (pattern !== undefined) return textFor(chance, new RegExp(pattern), maxLength);
  return anyText(chance).slice(0, maxLength).padEnd(minLength, "x");
}

function numberFrom({ minimum = 0, maximum = 1_000, type }: Schema, chance: Chance): number {
  const edges = [minimum, maximum, minimum + draw(chance, maximum - minimum + 1)];
  const value = oneOf(chance, edges);
  return type === "integer" ? value : value + oneOf(chance, [0, 0.5]);
}
