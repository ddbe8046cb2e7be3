import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Plugin, parseSync } from "vite";
import { en } from "../src/console/catalogue/languages/en.ts";

/** A use of a text: `t.users.title` or `...t.users.title`, of `t` as catalogue/words.ts has it. */
const use = /(?<![\w$"'`]|(?<!\.\.)\.)t((?:\.[a-zA-Z_]\w*)+)/g;
const importsTexts = /import \{[^}]*\bt\b[^}]*\} from "[./]*catalogue\/words\.ts"|from "\.\/words\.ts"/;

/**
 * Gives each text of the console's catalogues a number in the place of its name, which would otherwise be in the bundle
 * once a language and once a use: `t.users.title` becomes `t[12]`. A group that is looked up in by a name made at run
 * time stays whole. Texts that nobody uses are left out.
 */
export function slimCatalogue(source: string): Plugin {
  const numbers = numbersOf(source);
  return {
    name: "slim-catalogue",
    enforce: "pre",
    transform: (code, id) => {
      const path = id.replace(/\?.*$/, "");
      const [, language] = /\/catalogue\/languages\/(en|de)\.ts$/.exec(path) ?? [];
      if (language !== undefined) return { code: numbered(code, language, numbers), map: null };
      if (!path.startsWith(source) || !importsTexts.test(code)) return null;
      return { code: code.replace(use, (_, names: string) => numberedUse(names, numbers)), map: null };
    },
  };
}

/** By the path in the catalogue, of texts and of groups that are used whole; nothing within such a group has its own. */
function numbersOf(source: string): ReadonlyMap<string, number> {
  const paths = new Set<string>();
  for (const file of readdirSync(source, { recursive: true, encoding: "utf8" })) {
    if (!/\.tsx?$/.test(file)) continue;
    const code = readFileSync(join(source, file), "utf8");
    if (!importsTexts.test(code)) continue;
    for (const [, names = ""] of code.matchAll(use)) {
      const path = pathOf(names);
      if (path !== null) paths.add(path);
    }
  }
  const outermost = [...paths].filter((path) => ![...paths].some((other) => path.startsWith(`${other}.`)));
  return new Map(outermost.map((path, number) => [path, number]));
}

/** Of the text, or of the group where no further name is given; null: it is none of the catalogue's. */
function pathOf(names: string): string | null {
  let at: unknown = en;
  const path: string[] = [];
  for (const name of names.slice(1).split(".")) {
    if (typeof at !== "object" || at === null) break;
    if (!(name in at)) return null;
    at = (at as Record<string, unknown>)[name];
    path.push(name);
  }
  return path.join(".");
}

function numberedUse(names: string, numbers: ReadonlyMap<string, number>): string {
  for (let end = names.length; end > 0; end = names.lastIndexOf(".", end - 1)) {
    const number = numbers.get(names.slice(1, end));
    if (number !== undefined) return `t[${number}]${names.slice(end)}`;
  }
  throw new Error(`the catalogue has no text t${names}`);
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly key?: { readonly name?: string; readonly value?: string };
  readonly value?: Node;
  readonly properties?: readonly Node[];
}

function numbered(code: string, language: string, numbers: ReadonlyMap<string, number>): string {
  const texts: string[] = [];
  const walk = (node: Node, above: string): void => {
    for (const { key, value } of node.properties ?? []) {
      if (key === undefined || value === undefined) continue;
      const path = `${above}${key.name ?? key.value}`;
      const number = numbers.get(path);
      if (number !== undefined) texts[number] = code.slice(value.start, value.end);
      else if (value.type === "ObjectExpression") walk(value, `${path}.`);
    }
  };
  walk(catalogueOf(code, language), "");
  return `export const ${language} = [${texts.join(",\n")}];\n`;
}

/** The object that is exported by the name of its language. */
function catalogueOf(code: string, language: string): Node {
  for (const statement of parseSync(`${language}.ts`, code).program.body) {
    if (statement.type !== "ExportNamedDeclaration" || statement.declaration?.type !== "VariableDeclaration")
      continue;
    const init = statement.declaration.declarations[0]?.init;
    if (init?.type === "ObjectExpression") return init as unknown as Node;
  }
  throw new Error(`there is no catalogue in ${language}.ts`);
}
