import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guest } from "../../machines/guest/vocabulary.ts";

const page = (name: string) => readFileSync(join(import.meta.dirname, "../../../docs", name), "utf8");

/** The pages that are typed. */
export const recipes = { "the recipe": () => page("product.md"), "nginx's": () => page("nginx.md") };

const hostFile = "/etc/steward/steward.json";

/** The blocks of docs/product.md, in their order. */
interface Recipe {
  readonly gate: string;
  readonly host: string;
  readonly started: string;
  readonly nginx: string;
  readonly key: string;
  readonly caddy: string;
}

const blocksOf = (text: unknown) => [...String(text).matchAll(/^```([\w ]*)\n(.*?)^```$/gms)];

async function recipe(guest: Guest): Promise<Recipe> {
  const blocks = blocksOf(await guest.ask("the recipe")).slice(0, 6);
  const kinds = blocks.map(([, kind]) => kind).join(",");
  const expected = "sh appliance,json,sh appliance,nginx,sh appliance,text";
  if (kinds !== expected) throw new Error(`the recipe's blocks are ${kinds}`);
  const [gate = "", host = "", started = "", nginx = "", key = "", caddy = ""] = blocks.map(
    ([, , text]) => text,
  );
  return { gate, host, started, nginx, key, caddy };
}

/** The blocks of "Report events and needs": members of the host file, the unit, and the lines of a script that it runs. */
export async function reportRecipe(guest: Guest): Promise<Record<"reports" | "unit" | "lines", string>> {
  const [, section = ""] = String(await guest.ask("the recipe")).split("## Report events and needs");
  const blocks = blocksOf(section).slice(0, 3);
  const kinds = blocks.map(([, kind]) => kind).join(",");
  if (kinds !== "json,ini,sh appliance") throw new Error(`the blocks about reports are ${kinds}`);
  const [reports = "", unit = "", lines = ""] = blocks.map(([, , text]) => text);
  return { reports, unit, lines };
}

/** Names the page, and starts the product. Returns the text that only both know. */
export async function namesPage(guest: Guest): Promise<string> {
  const { gate, host, started } = await recipe(guest);
  const [certificate] = blocksOf(await guest.ask("nginx's"));
  await guest.types(`mkdir -p /etc/ssl/private; ${certificate?.[2]}`, { what: "a certificate is made" });
  await guest.types("steward tls enable", { says: ":8443" });
  await guest.types(gate, { what: "a text is made that only Steward and the product know" });
  changesHostFile((before) => ({ ...before, ...JSON.parse(host) }));
  await guest.types(`set -e; ${started}`, { what: "the page is named, and the agent knows it" });
  await guest.types("systemctl start pump.service");
  return readFileSync("/etc/steward/pump-gate", "utf8").trim();
}

export function changesHostFile(next: (before: Record<string, unknown>) => object): void {
  writeFileSync(hostFile, JSON.stringify(next(JSON.parse(readFileSync(hostFile, "utf8")))));
}

/** Has the page ask for this role from now on. */
export async function asksForRole(guest: Guest, role: string): Promise<void> {
  changesHostFile(({ product, ...others }) => {
    const { pages, ...rest } = product as { pages: object[] };
    return { ...others, product: { ...rest, pages: pages.map((page) => ({ ...page, role })) } };
  });
  await guest.restarts();
}

/** Puts nginx before the page, and a place besides whose maker has forgotten the visitor's headers. */
export async function startsNginx(guest: Guest): Promise<void> {
  const { nginx } = await recipe(guest);
  const forgotten = "location /forgotten {\n    proxy_pass http://127.0.0.1:9000;\n  }\n\n  location / {";
  writeFileSync("/etc/nginx/conf.d/pump.conf", nginx.replace("location / {", forgotten));
  await guest.types("nginx -t && systemctl reload-or-restart nginx.service", {
    what: "nginx takes its block",
  });
}

/** Puts Caddy there in its place. */
export async function startsCaddy(guest: Guest): Promise<void> {
  const { key, caddy } = await recipe(guest);
  await guest.types(`systemctl stop nginx.service && ${key}`, { what: "Caddy may read the key" });
  writeFileSync("/etc/caddy/Caddyfile", caddy);
  await guest.types("systemctl reload-or-restart caddy.service", { what: "Caddy takes its block" });
}
