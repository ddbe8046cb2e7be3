/** The documents as pages that the agent serves below /docs/, for people who read them without the internet. */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { buildSync } from "esbuild";
import { transform } from "lightningcss";
import { compress } from "../../build-console.ts";
import { type Page, readPages } from "../../docs/pages.ts";
import { type Rendered, renderDocument } from "./render.ts";

const root = join(import.meta.dirname, "../../..");

/** Bytes of all pages together, as they are on the disk; the package must stay small. */
const mostBytes = 1_280 * 1024;

/** The oldest browsers that read what the console's build makes of ES2022 (major version << 16 | minor version << 8). */
const targets = { chrome: 94 << 16, firefox: 93 << 16, safari: (16 << 16) | (4 << 8) };

/** Those that a reader on a device needs; the others at the top, decisions (ADRs) and the answers to ASVS are for contributors. */
const isForReaders = (path: string): boolean =>
  /^docs\/(?!adr\/|design\/asvs\.md)|^(SECURITY|CHANGELOG)\.md$/.test(path);

/**
 * Writes the pages into the console's directory, `directory`/docs, and their style and script into `directory`/assets.
 * Throws an Error where they have grown over their bound.
 */
export function writeDocuments(directory: string): void {
  const pages = readPages().filter(({ path }) => isForReaders(path));
  const names = readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" });
  const schemas = names.filter((name) => name.endsWith(".json")).map((name) => `docs/${name}`);
  const known = new Set([...pages.map(({ path }) => path), ...schemas]);
  const addressOf = (path: string) => (known.has(path) ? documentAddress(path) : undefined);
  const links = headLinks(directory);
  // Programs read a schema, and indent it for people: without blanks it takes half of the disk.
  const schemaOf = (path: string) => JSON.stringify(JSON.parse(readFileSync(join(root, path), "utf8")));
  const files = new Map(schemas.map((path) => [documentAddress(path), schemaOf(path)]));
  for (const page of pages)
    files.set(documentAddress(page.path), pageOf(renderDocument(page, addressOf), links));
  files.set("/docs/index.html", pageOf(renderDocument(contents(), addressOf), links));
  const bytes = [...files].reduce((sum, [address, text]) => sum + put(directory, address, text), 0);
  if (bytes > mostBytes) throw new Error(`the documents have grown to ${bytes} bytes, over ${mostBytes}`);
}

/** The address at which the agent serves a file of the repository. */
function documentAddress(path: string): string {
  return `/docs/${path.replace(/^docs\//, "").replace(/\.md$/, ".html")}`;
}

/** The page that lists the others: the README's table. */
function contents(): Page {
  const readme = readFileSync(join(root, "README.md"), "utf8");
  const [, table] = /^## I want to …\n([\s\S]*?)^## /m.exec(readme) ?? [];
  if (table === undefined) throw new Error("README.md has no section “I want to …”");
  return { path: "README.md", text: `# Documentation\n${table}` };
}

/**
 * The style of the console's texts, and the script that follows the theme chosen there, in files with their hashes; and the
 * colour of the device, as the agent knows it (src/http/wire/coloured-files.ts).
 */
function headLinks(directory: string): string {
  const styles = ["tokens", "base"].map((name) => join(root, `src/console/styles/${name}.css`));
  const sheets = [...styles, join(import.meta.dirname, "documents.css")].map((path) => readFileSync(path));
  // It expands light-dark(), which is newer than some of these browsers.
  const style = transform({ filename: "documents.css", code: Buffer.concat(sheets), minify: true, targets });
  const [script] = buildSync({
    stdin: {
      contents: 'import { markTheme } from "./theme.ts"; markTheme();',
      resolveDir: join(root, "src/console/ui"),
    },
    ...{ bundle: true, minify: true, write: false, format: "iife", target: "es2022" },
  }).outputFiles;
  const asset = (text: string, suffix: string): string => {
    const hash = createHash("sha256").update(text).digest("base64url").slice(0, 8);
    const address = `/assets/documents-${hash}${suffix}`;
    put(directory, address, text);
    return address;
  };
  return [
    `<link rel="stylesheet" href="${asset(style.code.toString(), ".css")}">`,
    '<link rel="stylesheet" href="/accent.css">',
    `<script src="${asset(script?.text ?? "", ".js")}"></script>`,
  ].join("\n");
}

function pageOf({ title, html, sections }: Rendered, links: string): string {
  const items = sections.map(({ anchor, title }) => `<li><a href="#${anchor}">${title}</a></li>`);
  const list = `<nav aria-label="On this page"><ul>${items.join("")}</ul></nav>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Steward</title>
<link rel="icon" href="/icon-192.png">
${links}
</head>
<body>
<a class="skip" href="#content">Skip to the text</a>
<header><a href="/">Console</a><a href="/docs/index.html">Documentation</a></header>
<div class="document${items.length > 1 ? " has-sections" : ""}">
${items.length > 1 ? list : ""}
<main id="content" tabindex="-1">
${html}</main>
</div>
</body>
</html>
`;
}

/** Writes a file, and its compressed forms beside it. Returns the bytes of all three. */
function put(directory: string, address: string, text: string): number {
  const path = join(directory, address);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  compress(path);
  return ["", ".gz", ".br"].reduce((sum, suffix) => sum + statSync(`${path}${suffix}`).size, 0);
}
