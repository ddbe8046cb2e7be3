import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, relative } from "node:path";

/**
 * Puts the places of the sources where a text names those of the files in `directory`, which have source maps. Both
 * are in `root`, and may be named from there.
 */
export function sourcePlaces(root: string, directory: string): (text: string) => string {
  const maps = new Map<string, SourceMap>();
  const mapOf = (file: string): SourceMap => {
    const known = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
    maps.set(file, known);
    return known;
  };
  const sourceOf = (file: string, line: string, column: string): string | null => {
    const found = existsSync(`${file}.map`) && mapOf(file).findEntry(Number(line) - 1, Number(column) - 1);
    if (!found || !("originalSource" in found)) return null;
    const source = relative(root, join(dirname(file), found.originalSource));
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  };
  const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const place = new RegExp(
    `(?:(?:file://)?${quoted(root)}/)?${quoted(relative(root, directory))}/([\\w./-]+)\\.js(?::(\\d+):(\\d+))?`,
    "g",
  );
  return (text) =>
    text.replace(place, (_, path: string, line?: string, column?: string) => {
      const isLine = line !== undefined && column !== undefined && `${line}:${column}` !== "1:1";
      const source = isLine ? sourceOf(join(directory, `${path}.js`), line, column) : null;
      return source ?? `${path}.ts`;
    });
}
