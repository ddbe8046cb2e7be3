import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";

const page = () => readFileSync(join(import.meta.dirname, "../../../docs/product.md"), "utf8");
const follower = "/usr/local/lib/follower.cjs";
const heard = "/run/heard";
const password = "quiet otters borrow umbrellas";

/** The product asks and follows on a device, as docs/product.md has it typed. */
export const scenario: TieredScenario = {
  title:
    "the product's unit asks about tokens as its page says, and hears within a second which session has ended",
  tiers: { container: {} },
  timeoutSeconds: 180,
  asks: { "the page": page },
  files: {
    "/usr/lib/sysusers.d/visitor.conf": "u visitor - Visitor /var/empty /bin/sh\n",
    [follower]: `const socket = require("node:net").connect("/run/steward-product/socket");
socket.write('{"follow":"sessions"}\\n');
socket.on("data", (data) => require("node:fs").appendFileSync("${heard}", data));
`,
  },
  boots: [{ run: walk(product, tokens, sessions) }],
};

const inUnit = (unit: string, line: string, user = "root") =>
  `systemd-run --quiet --unit=${unit} --property=User=${user} --wait --pipe --collect /bin/sh -c '${line}'`;

async function product(guest: Guest): Promise<void> {
  const pages = [{ name: "pump", title: { en: "Pump" }, url: "http://127.0.0.1:9001", role: "operator" }];
  const named = { name: "pump-7", units: ["pump.service"], sign_in: "http://127.0.0.1:8470", pages };
  writeFileSync("/etc/steward/steward.json", JSON.stringify({ product: named }));
  await guest.types("steward host-file check && systemctl restart steward.service");
  await guest.stewardAnswers();
  for (const [username, role] of [
    ["anna", "admin"],
    ["bob", "operator"],
  ])
    await guest.api("/api/users", { username, role, password });
}

async function tokens(guest: Guest): Promise<void> {
  const [, line = ""] = /^```text\n(curl .*?)\n```$/ms.exec(String(await guest.ask("the page"))) ?? [];
  guest.check("the page has the line", line.includes("token=stw_…"), line);
  const add = "steward token add --user bob --name meter --scope product:use --quiet";
  const asked = async (unit: string, words: string) => {
    const token = (await guest.types(`${add} ${words}`, { what: `a token ${words}` })).trim();
    const typed = line.replace("stw_…", token).replaceAll("\\\n", " ");
    return { token, typed, answer: await guest.types(inUnit(unit, typed), { what: `${unit} asks` }) };
  };
  const { token, typed, answer } = await asked("pump", "--page pump");
  const { active, username, aud } = JSON.parse(answer);
  guest.check("it is described", [active, username, String(aud)].join() === "true,bob,pump", answer);
  const far = await asked("pump", "--from 203.0.113.0/24");
  guest.check("one for another address is not active", far.answer.trim() === '{"active":false}', far.answer);
  const near = await asked("pump", "--from 192.0.2.0/24");
  guest.check("one for this address is", near.answer.includes('"active":true'), near.answer);
  // A user whose processes were refused waits a second, and so would the product of the same user.
  const bare = `setpriv --reuid visitor --regid visitor --clear-groups ${typed} || true`;
  for (const stranger of [inUnit("other", `${typed} || true`, "visitor"), bare]) {
    const refused = await guest.types(stranger, { what: "a stranger asks" });
    guest.check("a stranger learns nothing of a token", !/active|bob|tok_/.test(refused), refused);
  }
  for (const place of ["http://127.0.0.1:8470", "--unix-socket /run/steward/steward.sock http://localhost"]) {
    const line = `curl -s ${place}/api/product/introspect --data-urlencode token=${token}`;
    await guest.types(line, { says: /"status":404/, what: "the API has no such path" });
  }
}

async function sessions(guest: Guest): Promise<void> {
  const { body: signedIn } = await guest.http("/api/auth/login", { body: { username: "bob", password } });
  const by = { token: signedIn.access_token, body: {} };
  const { body: entrance } = await guest.http("/api/product/pages/pump/enter", by);
  await guest.http(`/api/product/pages/pump/finish${new URL(entrance.location).search}`);
  const node = (await guest.types("readlink /proc/$(systemctl show -P MainPID steward)/exe")).trim();
  await guest.types(`systemd-run --quiet --unit=pump ${node} ${follower}`);
  await guest.becomes(`cat ${heard}`, 10, { says: /"status":"taken"/, what: "it follows" });
  await guest.types("steward user sessions revoke bob --yes");
  await guest.becomes(`cat ${heard}`, 1, { says: /"ended":"ses_[0-9a-f]{32}"/, what: "it hears the end" });
}
