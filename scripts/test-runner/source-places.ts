import { existsSync, readFileSync } from "node:fs";
import { SourceMap } from "node:module";
import { dirname, join, relative } from "node:path";

/**
 * Puts the places of the sources where a text names those of the files in `directory`, which have source maps. Both
 * are in `root`, and may be named from there.
 */
export function sourcePlaces(root: string, directory: string): (text: string) => string {
  const maps = new Map<string, SourceMap>();
  const sourceOf = (file: string, line: number, column: number): string | null => {
    if (!existsSync(`${file}.map`)) return null;
    const map = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(`${file}.map`, "utf8")));
    maps.set(file, map);
    const found = map.findEntry(line - 1, column - 1);
    if (!("originalSource" in found)) return null;
    const source = relative(root, join(dirname(file), found.originalSource));
    return `${source}:${found.originalLine + 1}:${found.originalColumn + 1}`;
  };
  const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const folder = `(?:(?:file://)?${quoted(root)}/)?${quoted(relative(root, directory))}`;
  const place = new RegExp(`${folder}/([\\w./-]+)\\.js(?::(\\d+):(\\d+))?`, "g");
  return (text) =>
    text.replace(place, (_, path: string, line = "1", column = "1") => {
      const isWhole = line === "1" && column === "1";
      const source = isWhole ? null : sourceOf(join(directory, `${path}.js`), Number(line), Number(column));
      return source ?? `${path}.ts`;
    });
}
