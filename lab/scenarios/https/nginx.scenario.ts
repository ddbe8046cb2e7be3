import { spawn } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveOwnBootId } from "../../machines/container/own-boot-id.ts";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";
import { addUser, password } from "../people.ts";

const name = "edge-7.example.net";
const origin = `https://${name}`;
/** The container's address in the LAN, where a browser would be. */
const lan = "10.0.2.15";

/** docs/nginx.md as it is written: its files, its commands, and what they are for. */
export const scenario: TieredScenario = {
  title: "behind Debian's nginx: cookie, addresses, streams and names are as the recipe says",
  tiers: { container: {} },
  timeoutSeconds: 120,
  asks: { "the recipe": () => readFileSync(join(import.meta.dirname, "../../../docs/nginx.md"), "utf8") },
  boots: [{ run: walk(addUser, cooked, signsIn, addresses, streams) }],
};

/** Follows the recipe. */
async function cooked(guest: Guest): Promise<void> {
  const before = await overLan(guest, "/api/version");
  guest.check("before, nothing answers on the LAN", before.status !== 0, before);
  const blocks = [...String(await guest.ask("the recipe")).matchAll(/^```([\w ]*)\n(.*?)^```$/gms)].slice(
    0,
    4,
  );
  const kinds = blocks.map(([, kind]) => kind).join(",");
  guest.check("the recipe has its four blocks", kinds === "sh appliance,nginx,json,sh appliance", kinds);
  const [certificate = "", site = "", host = "", commands = ""] = blocks.map(([, , text]) => text);
  await guest.types(`mkdir -p /etc/ssl/private; set -e; ${certificate}`, { what: "the certificate is made" });
  writeFileSync("/etc/nginx/conf.d/steward.conf", site);
  writeFileSync("/etc/steward/steward.json", host);
  await giveOwnBootId(guest);
  await guest.types(`set -e; ${commands}`, { what: "both are started with it" });
  await guest.stewardAnswers();
  const other = await overLan(guest, "/api/version", "--header", "Host: evil.example", "--include");
  guest.check("a name that is not the device's gets 421", /^HTTP\/\S+ 421/.test(other.stdout), other);
}

const overTls = ["--cacert", "/etc/ssl/certs/steward.pem", "--resolve", `${name}:443:${lan}`];

/** A request as from a browser in the LAN, over TLS that is checked. */
const overLan = (guest: Guest, path: string, ...args: readonly string[]): Promise<Ran> =>
  guest.run("curl", ["--silent", "--show-error", ...overTls, ...args, `${origin}${path}`]);

const bearer = (token: string) => ["--header", `Authorization: Bearer ${token}`];
const json = (body: unknown) => ["--json", JSON.stringify(body)];
const login = { username: "root-admin", password };

/** As the console does it, with the refresh token in a cookie. */
async function signsIn(guest: Guest): Promise<void> {
  const page = await overLan(guest, "/", "--include");
  guest.check("the console is served", /^HTTP\/\S+ 200/.test(page.stdout), page.stdout.slice(0, 200));
  const posted = (path: string, from: string, body: object, ...more: readonly string[]) => {
    const jar = ["--cookie", "/root/jar", "--cookie-jar", "/root/jar", "--header", `Origin: ${from}`];
    return overLan(guest, path, ...jar, ...more, ...json(body));
  };
  const signed = await posted("/api/auth/login", origin, { ...login, refresh: "cookie" }, "--include");
  const cookie = /^set-cookie: (.*)$/im.exec(signed.stdout)?.[1] ?? "";
  const own = `X-Refresh-Binding: ${/"refresh_binding":"(.*?)"/.exec(signed.stdout)?.[1]}`;
  const marks = ["__Host-steward-refresh-", "Secure", "HttpOnly", "SameSite=Strict", "Path=/;"];
  const isMarked = marks.every((mark) => cookie.toLowerCase().includes(mark.toLowerCase()));
  guest.check(`the cookie is ${marks.join(", ")}`, isMarked, signed.stdout);
  const foreign = await posted("/api/auth/refresh", "https://evil.example", {}, "--header", own);
  guest.check("the cookie counts for no other origin", !foreign.stdout.includes("access_token"), foreign);
  const again = await posted("/api/auth/refresh", origin, {}, "--header", own);
  guest.check("and is exchanged for the page's own", again.stdout.includes("access_token"), again);
}

/** The addresses that requests come from, by the sessions that they begin. */
async function addresses(guest: Guest): Promise<void> {
  const forged = ["--header", "X-Forwarded-For: 203.0.113.9", ...json(login)];
  const direct = ["--silent", "--interface", "127.0.0.2", "http://127.0.0.1:8470/api/auth/login"];
  for (const [what, { stdout }, wanted] of [
    ["through nginx it is the client's address", await overLan(guest, "/api/auth/login", ...forged), lan],
    ["a peer that is no proxy says nothing", await guest.run("curl", [...direct, ...forged]), "127.0.0.2"],
  ] as const) {
    const { access_token } = JSON.parse(stdout) as { access_token: string };
    const list = await overLan(guest, "/api/auth/sessions", ...bearer(access_token));
    const { items } = JSON.parse(list.stdout) as { items: { is_current: boolean; address: string }[] };
    const found = items.find((one) => one.is_current)?.address;
    guest.check(what, found === wanted, [found, list.stdout]);
  }
}

/** Events are seen while the stream is still open: nothing on the way waits for more. */
async function streams(guest: Guest): Promise<void> {
  const signed = await overLan(guest, "/api/auth/login", ...json(login));
  const token = String((JSON.parse(signed.stdout) as { access_token: string }).access_token);
  for (const path of ["/api/events/stream", "/api/logs/stream"]) {
    const curl = spawn("curl", ["--silent", "--no-buffer", ...overTls, ...bearer(token), `${origin}${path}`]);
    let seen = "";
    curl.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen += text;
    });
    let tries = 0;
    // A change that only now is made, and again until one is seen: the stream begins when it begins.
    await guest.until(`${path} arrives unbuffered`, 20, async () => {
      tries += 1;
      await addUser(guest, `seen-in-${path.split("/")[2]}-${tries}`, "readonly");
      return seen.includes("seen-in-");
    });
    guest.check(`${path} is still open`, curl.exitCode === null, seen.slice(0, 500));
    curl.kill();
  }
}
