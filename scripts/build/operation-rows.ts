import type { Operation } from "../../src/contract/operations/operation.ts";
import { operations } from "../../src/contract/operations/table.ts";

/** The table of all operations, in whose place a program is given the text of `operationRows`. */
export const operationTable = /\/contract\/operations\/table\.ts$/;

/**
 * All operations as a program needs them, as plain data. The schemas are five times as long as all else, and the
 * validators bring those that they check by; a program only asks if there is one, and which parameters are no text.
 */
export function operationRows(): string {
  const rows = Object.entries<Operation>(operations).map(([id, operation]) => [id, shortened(operation)]);
  return `export const operations=${JSON.stringify(Object.fromEntries(rows))};\n`;
}

function shortened(operation: Operation): object {
  const { summary: _, description: __, pathParameters, query, body, response, ...rest } = operation;
  const { schema, ...answer } = response;
  return {
    ...rest,
    ...(pathParameters && { pathParameters: each(pathParameters, () => ({})) }),
    ...(query && { query: { properties: each(propertiesOf(query), ({ type }) => ({ type })) } }),
    ...(body && { body: {} }),
    response: { ...answer, ...(schema && { schema: {} }) },
  };
}

interface Parameter {
  readonly type?: unknown;
}

function propertiesOf(schema: { properties?: Readonly<Record<string, Parameter>> }) {
  return schema.properties ?? {};
}

function each(members: Readonly<Record<string, object>>, shorten: (member: Parameter) => object): object {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, shorten(member)]));
}
