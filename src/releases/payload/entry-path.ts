import type { PayloadCaps } from "./payload-caps.ts";
import { printableName, unsafePayload } from "./unsafe-payload.ts";

type NameCaps = Pick<PayloadCaps, "nameBytes" | "componentBytes" | "components">;

const shorter = "Give it a shorter name, or put it into fewer folders.";
const utf8 =
  "Give it a name in UTF-8 (convmv -f latin1 -t utf8 --notest -r DIRECTORY) without control characters.";

/**
 * The components of an entry's name below the release's directory; none: that directory itself. A `.` and a second slash
 * make no difference, as for the kernel. `name` is that of the entry, if the text is that of another. Throws `update_payload_unsafe`.
 */
export function entryPath(text: string, caps: NameCaps, name = text): readonly string[] {
  refuseCharacters(text, name, caps);
  if (text.startsWith("/"))
    throw unsafePayload("is an absolute name", { name, wayOut: "Leave out tar's option -P." });
  const components = text.split("/").filter((component) => component !== "" && component !== ".");
  if (components.includes(".."))
    throw unsafePayload('has ".." in its name', { name, wayOut: "Pack the folder itself with -C." });
  refuseLengths(components, name, caps);
  return components;
}

/** The components of a link's target, including `..` and `.`. Throws `update_payload_unsafe`. */
export function linkTarget(target: string, name: string, caps: NameCaps): readonly string[] {
  if (target === "") throw unsafePayload("is a link with an empty target", { name, wayOut: "Leave it out." });
  refuseCharacters(target, name, caps);
  if (target.startsWith("/")) {
    const wayOut = `Pack what it leads to (${printableName(target)}) in its place (tar -h, python3 -m venv --copies), or make the link where the product starts.`;
    throw unsafePayload("is a link to an absolute name", { name, wayOut });
  }
  const components = target.split("/").filter((one) => one !== "" && one !== ".");
  refuseLengths(components, name, caps);
  return components;
}

/** The reader replaces bytes that are not UTF-8 by U+FFFD. */
function refuseCharacters(text: string, name: string, { nameBytes }: NameCaps): void {
  if (text === "") throw unsafePayload("has no name", { name });
  if (Buffer.byteLength(text) > nameBytes)
    throw unsafePayload(`is longer than ${nameBytes} bytes`, { name, wayOut: shorter });
  if (/[\p{Cc}\p{Surrogate}\ufffd]/u.test(text))
    throw unsafePayload("has control characters or broken UTF-8 in its name", { name, wayOut: utf8 });
}

function refuseLengths(components: readonly string[], name: string, caps: NameCaps): void {
  if (components.length > caps.components)
    throw unsafePayload(`has more than ${caps.components} components`, { name, wayOut: shorter });
  if (components.some((component) => Buffer.byteLength(component) > caps.componentBytes))
    throw unsafePayload(`has a component of more than ${caps.componentBytes} bytes`, {
      name,
      wayOut: shorter,
    });
}
