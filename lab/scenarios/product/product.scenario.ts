import { cpSync } from "node:fs";
import { join } from "node:path";
import { fakingTime } from "../../basics/faketime.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { HostSide, TieredScenario } from "../../machines/scenario.ts";
import { addUser, enrolled, password } from "../people.ts";
import { alarms } from "./alarm.ts";
import { ask, entered, signsIn, steward } from "./browser.ts";
import { steps } from "./chromium.ts";
import { fetchesPostfix, mailbox } from "./mailbox.ts";
import { losesSession, walks } from "./person.ts";
import { pumpFiles } from "./pump.ts";
import { namesPage, recipes, startsCaddy, startsNginx } from "./recipe.ts";
import { followsAccounts, followsPrograms, outlivesAgent } from "./rights.ts";
import { keepsForeignOut, ledToSignIn, passesOn, type Visit } from "./visit.ts";

const faketime = "/usr/lib/faketime";

const asked = Object.fromEntries(
  Object.entries(steps).map(([name, take]) => [name, (_: HostSide, value: unknown) => take(value as never)]),
);

/** docs/product.md as it is written, before a small product. */
export const scenario: TieredScenario = {
  title:
    "a page of the product behind Steward's sign-in, through Debian's nginx and Caddy, as its recipe says",
  tiers: { container: {} },
  timeoutSeconds: 600,
  // Debian's installer writes the names; Caddy looks its own socket's up.
  files: { ...pumpFiles, "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n" },
  folders: {
    [faketime]: (directory) => cpSync(fakingTime().LD_PRELOAD ?? "", join(directory, "libfaketime.so.1")),
  },
  prepare: fetchesPostfix,
  asks: { ...recipes, ...asked, ...mailbox },
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await addUser(guest);
        const gate = await namesPage(guest);
        await startsNginx(guest);
        const ada = await visited(guest, "ada", gate, "nginx");
        await walks(guest, "hedy", "nginx", "user disable");
        await followsPrograms(guest, ada);
        await followsAccounts(guest, ada);
        await outlivesAgent(guest, ada, faketime);
        await startsCaddy(guest);
        const grace = await visited(guest, "grace", gate, "Caddy");
        await walks(guest, "joan", "Caddy", "user sessions revoke --yes");
        await followsPrograms(guest, grace);
        await outlivesAgent(guest, grace, faketime);
        await alarms(guest, gate);
        await losesSession(guest, "lise", "Caddy");
      },
    },
  ],
};

/** The walk of a person with a second factor through what this server passes on. */
async function visited(
  guest: Guest,
  username: string,
  gate: string,
  server: Visit["server"],
): Promise<Visit> {
  const { id } = await guest.api("/api/users", { username, role: "operator", password });
  const secret = await enrolled(guest, username);
  await ledToSignIn(guest, server);
  const token = await signsIn(guest, username, secret);
  const [cookie, entrance] = await entered(guest, token);
  const visit = { server, gate, username, id: String(id), cookie, entrance };
  await passesOn(guest, visit);
  await keepsForeignOut(guest, visit);
  const { text } = await ask(`${steward}/api/auth/sessions`, {
    headers: { authorization: `Bearer ${token}` },
  });
  guest.check("console and page are one session", JSON.parse(text).items.length === 1, text);
  return visit;
}
