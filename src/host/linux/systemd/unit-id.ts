import { realpathSync } from "node:fs";
import { basename, extname, join } from "node:path";
import { tried } from "../tried.ts";

/** The directories of units in systemd's order (systemd.unit(5)), as in the reader of logs (allowed-units.c). */
const places = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"];

/** The name that the journal has for a unit: an alias is a link to it. That of a template is a pattern for its instances. */
export function unitId(name: string, root = ""): string {
  const [, template = "", instance = "*"] = /^([^@]*@)(.+)?\.\w+$/.exec(name) ?? [];
  const suffix = extname(name);
  const filled = (id: string) => id.replace(/@(?=\.\w+$)/, `@${instance}`);
  // An instance may have a file of its own.
  for (const file of template === "" ? [name] : [name, template + suffix])
    for (const place of places) {
      const path = tried(() => realpathSync.native(join(root, place, "systemd/system", file)));
      // A masked unit is a link to /dev/null.
      if (path !== null) return extname(path) === suffix ? filled(basename(path)) : name;
    }
  return filled(name);
}
