import { createHash } from "node:crypto";
import type { DelegatedRole } from "./metadata.ts";

/** TUF §4.5: true if a delegation covers this target path. */
export function isDelegated(role: DelegatedRole, path: string): boolean {
  if (role.paths) return role.paths.some((pattern) => matchesPath(pattern, path));
  const hash = createHash("sha256").update(path).digest("hex");
  return role.path_hash_prefixes?.some((prefix) => hash.startsWith(prefix)) ?? false;
}

/** True if a delegation can cover any target of `<channel>/<kind>/`; hashed paths do not say. */
export function mayHold(role: DelegatedRole, channel: string, kind: string): boolean {
  if (!role.paths) return true;
  return role.paths.some((pattern) => {
    const parts = pattern.split("/");
    return parts.length === 3 && matchesPart(parts[0] ?? "", channel) && matchesPart(parts[1] ?? "", kind);
  });
}

/** Compares part by part: a wildcard does not match a slash. */
function matchesPath(pattern: string, path: string): boolean {
  const patterns = pattern.split("/");
  const parts = path.split("/");
  return (
    patterns.length === parts.length && patterns.every((one, index) => matchesPart(one, parts[index] ?? ""))
  );
}

/** `*` matches any characters, `?` one. Takes at most |pattern| × |text| steps: a foreign pattern must cost no more. */
function matchesPart(pattern: string, text: string): boolean {
  let at = 0;
  let index = 0;
  let star = -1;
  let resume = 0;
  while (index < text.length) {
    if (pattern[at] === "*") {
      star = at;
      at += 1;
      resume = index;
    } else if (pattern[at] === "?" || pattern[at] === text[index]) {
      at += 1;
      index += 1;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      index = resume;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(at));
}
