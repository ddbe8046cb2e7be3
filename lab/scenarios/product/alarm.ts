import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { mailUser } from "../../host/mail-server.ts";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import { typing } from "../people.ts";
import { type Mail, receiver } from "./mailbox.ts";
import { changesHostFile, reportRecipe } from "./recipe.ts";

const authority = "/etc/steward/mail-ca.pem";
const sentence = "The pressure is 0.8 bar";

/** A maker's afternoon goes on: the product's unit reports, as docs/product.md says, and the owner has mail of it. */
export async function alarms(guest: Guest, gate: string): Promise<void> {
  const { reports, unit, lines } = await reportRecipe(guest);
  const [need = "", ok = "", event = ""] = lines.trim().split("\n");
  await namesMailbox(guest);
  changesHostFile(({ product, ...others }) => ({
    ...others,
    product: { ...(product as object), ...JSON.parse(reports) },
  }));
  await guest.restarts();
  writeFileSync("/etc/systemd/system/pump.service", unit);
  await guest.types("chmod 755 /usr/lib/pump/pump; systemctl daemon-reload; systemctl restart pump.service");
  const runs = (line: string): Promise<Ran> => inUnit(guest, gate, line);
  const begun = await runs(need);
  guest.check(`its unit reports: ${need}`, begun.status === 0, begun);
  await guest.types(need.replace("0.8", "0.1"), { what: "and no process elsewhere", status: 4 });
  await arrives(guest, "the alarm", `To do: ${sentence}\n`);
  const ended = await runs(ok);
  guest.check(`and its end: ${ok}`, ended.status === 0, ended);
  await boundsFlood(guest, runs, event);
  await arrives(guest, "the end of the alarm", `Done: ${sentence}\n`);
  await arrives(guest, "what root did during the flood", "made mallory an administrator");
}

async function namesMailbox(guest: Guest): Promise<void> {
  writeFileSync(authority, String(await guest.ask("a mailbox")));
  changesHostFile((before) => ({ ...before, notify: { ca_file: authority } }));
  await guest.restarts();
  const settings = { input: JSON.stringify({ notify: { receivers: [receiver] } }) };
  await guest.types("steward system set --stdin", settings);
  await guest.types("steward notify secret owner --stdin", typing(mailUser.password));
  await guest.types("steward notify test owner", { what: "a mailbox takes the device's mail" });
}

/** Has the product run a line in its unit. */
function inUnit(guest: Guest, gate: string, line: string): Promise<Ran> {
  const headers = { "steward-gate": gate };
  const ask = (): Promise<string> =>
    new Promise((resolve, reject) => {
      const asking = request({ host: "127.0.0.1", port: 9000, method: "POST", path: "/run", headers });
      asking.on("error", reject).on("response", async (response) => {
        resolve((await response.setEncoding("utf8").toArray()).join(""));
      });
      asking.end(line);
    });
  return guest.until("the product answers", 60, async () => JSON.parse(await ask()) as Ran);
}

/** The agent looks at the needs once a minute, and what is not grave leaves once a minute. */
const arrivalSeconds = 150;

async function arrives(guest: Guest, what: string, words: string): Promise<void> {
  const mail = await guest.until(`${what} is in the mailbox`, arrivalSeconds, async () => {
    const mails = (await guest.ask("mails")) as Mail[];
    return mails.find(({ text }) => text.includes(words));
  });
  guest.check(`${what} is in the mailbox`, mail.headers.to === "owner@plant.example", mail);
}

/** As many as a product that was taken over can send, while an administrator is added. */
async function boundsFlood(guest: Guest, runs: (line: string) => Promise<Ran>, event: string): Promise<void> {
  const events = async (type: string): Promise<number> =>
    (await guest.api(`/api/events?type=${type}&limit=200`)).items.length;
  const before = await events("user.created");
  const [, code, number] = /^steward product event (\w+) (\w+)=/.exec(event) ?? [];
  const flood = await runs(`flood 800 ${code} ${number}`);
  const taken = flood.stdout.split('{"status":"taken"}\n').length - 1;
  guest.check("the product floods, and all of it is taken", taken === 800, flood.stdout.slice(0, 500));
  await guest.types("steward user add mallory --role admin --password-stdin", {
    ...typing("four other words than these"),
    what: "an administrator is added meanwhile",
  });
  const written = await events("product.reported");
  const isShare = written >= 30 && written <= 34;
  guest.check("of the flood 30 lines are in the record, and one a minute", isShare, written);
  guest.check("nothing else has left it", (await events("user.created")) === before + 1);
}
