import { realpathSync } from "node:fs";
import { basename, extname, join } from "node:path";

/** The directories of units in systemd's order (systemd.unit(5)), as in the reader of logs (allowed-units.c). */
const places = ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map(
  (place) => `${place}/systemd/system`,
);

/** The name that the journal has for a unit: an alias is a link to it. That of a template is a pattern for its instances. */
export function unitId(name: string, root = ""): string {
  const [, template = "", instance = "*"] = /^([^@]*@)(.+)?\.\w+$/.exec(name) ?? [];
  const suffix = extname(name);
  const idOf = (file: string) => basename(realpathSync.native(file)).replace(/@(?=\.\w+$)/, `@${instance}`);
  for (const file of [name, ...(template === "" ? [] : [template + suffix])])
    for (const place of places)
      try {
        const id = idOf(join(root, place, file));
        // A masked unit is a link to /dev/null.
        return extname(id) === suffix ? id : name;
      } catch {
        // It is not there.
      }
  return name.replace(/@(?=\.\w+$)/, "@*");
}
