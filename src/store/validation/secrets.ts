import { hash } from "node:crypto";
import type { InputError } from "../../contract/errors.ts";
import { isObject } from "./members.ts";

/** The part of a JSON Schema that says where secrets are (`x-secret` in contract/schemas/settings.ts). */
interface Shape {
  readonly "x-secret"?: "address" | "whole";
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly items?: Shape;
}

/** The end of a shown form: two bytes of the secret's SHA-256, enough to see a change, too few to try guesses. */
const shownEnd = /…[0-9a-f]{4}$/;

/** `value` as it is shown to those who may not write all of it: of an address its origin, of other secrets nothing. */
export function withoutSecrets<T>(schema: object, value: T): T {
  return replaced(schema, value, shownForm) as T;
}

export function secretsOf(schema: object, value: unknown): string[] {
  const found: string[] = [];
  replaced(schema, value, (secret, form) => {
    if (shownForm(secret, form) !== secret) found.push(secret);
    return secret;
  });
  return found;
}

/** `given` with the secrets of `present` where it has them in the form in which they are shown. */
export function withSecretsOf<T>(schema: object, present: unknown, given: T): T {
  const known = new Map<string, string | undefined>();
  replaced(schema, present, (secret, form) => {
    const shown = shownForm(secret, form);
    // Two that look alike stand for neither.
    known.set(shown, known.has(shown) && known.get(shown) !== secret ? undefined : secret);
    return secret;
  });
  return replaced(schema, given, (text) => known.get(text) ?? text) as T;
}

/** The faults of a value that still has a secret in the form in which it is shown. */
export function shownSecrets(schema: object, value: unknown): InputError[] {
  const faults: InputError[] = [];
  replaced(schema, value, (text, _, pointer) => {
    const detail = "has … in place of its secret part: write it whole";
    if (shownEnd.test(text)) faults.push({ pointer, code: "secret_missing", detail });
    return text;
  });
  return faults;
}

function shownForm(text: string, form: Shape["x-secret"]): string {
  const origin = form === "address" ? (/^[a-z]+:\/\/[^/?#]+/i.exec(text)?.[0] ?? "") : "";
  const inner = text.slice(origin.length);
  const isOpen = inner === "" || shownEnd.test(text) || (form === "address" && /^(file:.*|\/)$/.test(inner));
  if (isOpen) return text;
  return `${origin}${origin && "/"}…${hash("sha256", text).slice(0, 4)}`;
}

type Replace = (text: string, form: Shape["x-secret"], pointer: string) => string;

function replaced(shape: Shape, value: unknown, replace: Replace, pointer = ""): unknown {
  const form = shape["x-secret"];
  if (form !== undefined && typeof value === "string") return replace(value, form, pointer);
  const { items, properties } = shape;
  if (items && Array.isArray(value))
    return value.map((one, index) => replaced(items, one, replace, `${pointer}/${index}`));
  if (!properties || !isObject(value)) return value;
  const members = Object.entries(value).map(([name, member]) => {
    const part = properties[name];
    return [name, part ? replaced(part, member, replace, `${pointer}/${name}`) : member];
  });
  return Object.fromEntries(members);
}
