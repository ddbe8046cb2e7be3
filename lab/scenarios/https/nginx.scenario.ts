import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { giveOwnBootId } from "../../machines/container/own-boot-id.ts";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
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
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await addUser(guest);
        const before = await overLan(guest, "/api/version");
        guest.check("before, nothing answers on the LAN", before.status !== 0, before);
        await cooked(guest, String(await guest.ask("the recipe")));
        const token = await signsIn(guest);
        await addresses(guest, token);
        await streams(guest, token);
        const other = await overLan(guest, "/api/version", "--header", "Host: evil.example", "--include");
        guest.check(
          "a name that is not the device's own gets 421",
          /^HTTP\/\S+ 421/.test(other.stdout),
          other,
        );
      },
    },
  ],
};

/** Follows the recipe. */
async function cooked(guest: Guest, recipe: string): Promise<void> {
  const blocks = [...recipe.matchAll(/^```([\w ]*)\n(.*?)^```$/gms)].map(([, kind = "", text = ""]) => ({
    kind,
    text,
  }));
  const [certificate, site, host, commands] = blocks.map(({ text }) => text);
  const kinds = blocks.map(({ kind }) => kind).join(",");
  guest.check("the recipe has its four blocks", kinds === "sh appliance,nginx,json,sh appliance", kinds);
  mkdirSync("/etc/ssl/private", { recursive: true });
  const made = await guest.run("sh", ["-ec", certificate ?? ""]);
  guest.check("the certificate is made", made.status === 0 && existsSync("/etc/ssl/certs/steward.pem"), made);
  writeFileSync("/etc/nginx/conf.d/steward.conf", site ?? "");
  writeFileSync("/etc/steward/steward.json", host ?? "");
  await giveOwnBootId(guest);
  const ran = await guest.run("sh", ["-ec", commands ?? ""]);
  guest.check("both are started with it", ran.status === 0, ran);
  await guest.stewardAnswers();
}

/** A request as from a browser in the LAN, over TLS that is checked. */
function overLan(guest: Guest, path: string, ...args: readonly string[]): Promise<Ran> {
  const tls = ["--cacert", "/etc/ssl/certs/steward.pem", "--resolve", `${name}:443:${lan}`];
  return guest.run("curl", ["--silent", "--show-error", ...tls, ...args, `${origin}${path}`]);
}

const json = (body: unknown) => [
  "--header",
  "Content-Type: application/json",
  "--data",
  JSON.stringify(body),
];

/** As the console does it, with the refresh token in a cookie; returns the access token. */
async function signsIn(guest: Guest): Promise<string> {
  const page = await overLan(guest, "/", "--include");
  guest.check("the console is served", /^HTTP\/\S+ 200/.test(page.stdout), page.stdout.slice(0, 200));
  const login = { username: "root-admin", password, refresh: "cookie" };
  const jar = ["--cookie", "/root/jar", "--cookie-jar", "/root/jar"];
  const from = (origin: string) => ["--header", `Origin: ${origin}`];
  const signed = await overLan(
    guest,
    "/api/auth/login",
    ...jar,
    ...from(origin),
    "--include",
    ...json(login),
  );
  const cookie = /^set-cookie: (.*)$/im.exec(signed.stdout)?.[1] ?? "";
  const binding = /"refresh_binding":"(.*?)"/.exec(signed.stdout)?.[1] ?? "";
  const own = ["--header", `X-Refresh-Binding: ${binding}`];
  const marks = ["__Host-steward-refresh-", "Secure", "HttpOnly", "SameSite=Strict", "Path=/;"];
  const isMarked = marks.every((mark) => cookie.toLowerCase().includes(mark.toLowerCase()));
  guest.check(`the cookie is ${marks.join(", ")}`, isMarked, signed.stdout);
  const foreign = await overLan(
    guest,
    "/api/auth/refresh",
    ...jar,
    ...own,
    ...from("https://evil.example"),
    ...json({}),
  );
  guest.check("the cookie counts for no other origin", !foreign.stdout.includes("access_token"), foreign);
  const again = await overLan(guest, "/api/auth/refresh", ...jar, ...own, ...from(origin), ...json({}));
  guest.check("and is exchanged for the page's own", again.stdout.includes("access_token"), again);
  return String((JSON.parse(again.stdout) as { access_token: string }).access_token);
}

/** The addresses that requests come from, by the sessions that they begin. */
async function addresses(guest: Guest, token: string): Promise<void> {
  const forged = ["--header", "X-Forwarded-For: 203.0.113.9"];
  const login = json({ username: "root-admin", password });
  const ofSession = async (answer: Ran): Promise<string> => {
    const { access_token } = JSON.parse(answer.stdout) as { access_token: string };
    const list = await overLan(
      guest,
      "/api/auth/sessions",
      "--header",
      `Authorization: Bearer ${access_token}`,
    );
    const { items } = JSON.parse(list.stdout) as { items: { is_current: boolean; address: string }[] };
    return items.find((one) => one.is_current)?.address ?? list.stdout;
  };
  const throughProxy = await ofSession(await overLan(guest, "/api/auth/login", ...login));
  guest.check("through nginx it is the client's address that counts", throughProxy === lan, throughProxy);
  const lied = await ofSession(await overLan(guest, "/api/auth/login", ...forged, ...login));
  guest.check("whatever the client says in X-Forwarded-For", lied === lan, lied);
  const direct = ["--silent", "--interface", "127.0.0.2", "http://127.0.0.1:8470/api/auth/login"];
  const past = await ofSession(await guest.run("curl", [...direct, ...forged, ...login]));
  guest.check("and from a peer that is no trusted proxy it is not read", past === "127.0.0.2", past);
  const read = await overLan(guest, "/api/system", "--header", `Authorization: Bearer ${token}`);
  guest.check("the API works through nginx", read.status === 0 && read.stdout.includes('"device"'), read);
}

/** Events are seen while the stream is still open: nothing on the way waits for more. */
async function streams(guest: Guest, token: string): Promise<void> {
  const tls = ["--cacert", "/etc/ssl/certs/steward.pem", "--resolve", `${name}:443:${lan}`];
  const bearer = ["--header", `Authorization: Bearer ${token}`];
  for (const path of ["/api/events/stream", "/api/logs/stream"]) {
    const curl = spawn("curl", ["--silent", "--no-buffer", ...tls, ...bearer, `${origin}${path}`]);
    let seen = "";
    curl.stdout.setEncoding("utf8").on("data", (text: string) => {
      seen += text;
    });
    const stream = path.split("/")[2];
    let tries = 0;
    // A change that only now is made, and again until one is seen: the stream begins when it begins.
    const isSeen = await guest
      .until(`a change in ${path}`, 20, async () => {
        tries += 1;
        await addUser(guest, `seen-in-${stream}-${tries}`, "readonly");
        return seen.includes(`seen-in-${stream}-`);
      })
      .catch(() => false);
    guest.check(`${path} arrives unbuffered`, isSeen === true && curl.exitCode === null, seen.slice(0, 500));
    curl.kill();
  }
}
