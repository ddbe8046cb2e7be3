/** Loads in the built program, at their first use, the modules that its sources import as any other. */

/**
 * Loads each of Node's modules, and each package of CommonJS that is in the bundle, where `text` first uses one of its
 * members, as a device at rest uses few. `text`: what esbuild has made of the imports of a part, one variable an import.
 */
export function whenFirstUsed(text: string): string {
  const names = new Set<string>();
  const loads = new Map<string, string>();
  const used = text.replaceAll(
    /^var (import_\w+) = (?:require\("(?:node:)?([a-z_/]+)"\)|(.*\b__toESM\b.*));\n/gm,
    (_, variable: string, module: string | undefined, loadOfPackage: string) => {
      const name = module === undefined ? `package$${variable}` : `node$${module.replaceAll("/", "$")}`;
      names.add(name);
      loads.set(
        variable,
        `(${name} ??= ${module === undefined ? loadOfPackage : `require("node:${module}")`})`,
      );
      return "";
    },
  );
  if (names.size === 0) return text;
  const members = used.replaceAll(/\bimport_\w+\b/g, (variable) => loads.get(variable) ?? variable);
  return `let ${[...names].join(",")};${members}`;
}
