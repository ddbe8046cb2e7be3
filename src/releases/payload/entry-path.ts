import type { PayloadCaps } from "./payload-caps.ts";
import { unsafePayload } from "./unsafe-payload.ts";

type NameCaps = Pick<PayloadCaps, "nameBytes" | "componentBytes" | "components">;

/**
 * The components of an entry's name below the release's directory; none: that directory itself. A leading `./`, as tar
 * writes it, and one slash after a directory are allowed. Throws `update_payload_unsafe`.
 */
export function entryPath(name: string, isDirectory: boolean, caps: NameCaps): readonly string[] {
  refuseCharacters(name, name, caps);
  if (name.startsWith("/")) throw unsafePayload("is an absolute name", { name });
  if (isDirectory && (name === "." || name === "./")) return [];
  let path = name.startsWith("./") ? name.slice(2) : name;
  if (isDirectory && path.endsWith("/")) path = path.slice(0, -1);
  const components = path.split("/");
  for (const component of components) {
    if (component === "..") throw unsafePayload('has ".." in its name', { name });
    if (component === "" || component === ".")
      throw unsafePayload('has an empty or a "." component', { name });
  }
  refuseLengths(components, name, caps);
  return components;
}

/** The components of a link's target, including `..` and `.`. Throws `update_payload_unsafe`. */
export function linkTarget(target: string, name: string, caps: NameCaps): readonly string[] {
  if (target === "") throw unsafePayload("is a link with an empty target", { name });
  refuseCharacters(target, name, caps);
  if (target.startsWith("/")) throw unsafePayload("is a link to an absolute name", { name });
  const components = target.split("/");
  refuseLengths(components, name, caps);
  return components;
}

/** The reader replaces bytes that are not UTF-8 by U+FFFD. */
function refuseCharacters(text: string, name: string, { nameBytes }: NameCaps): void {
  if (text === "") throw unsafePayload("has no name", { name });
  if (Buffer.byteLength(text) > nameBytes) throw unsafePayload(`is longer than ${nameBytes} bytes`, { name });
  if (/[\p{Cc}\p{Surrogate}\ufffd]/u.test(text))
    throw unsafePayload("has control characters or broken UTF-8 in its name", { name });
  if (text.includes("\\")) throw unsafePayload("has a backslash in its name", { name });
}

function refuseLengths(components: readonly string[], name: string, caps: NameCaps): void {
  if (components.length > caps.components)
    throw unsafePayload(`has more than ${caps.components} components`, { name });
  if (components.some((component) => Buffer.byteLength(component) > caps.componentBytes))
    throw unsafePayload(`has a component of more than ${caps.componentBytes} bytes`, { name });
}
