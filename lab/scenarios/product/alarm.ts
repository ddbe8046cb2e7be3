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
    product: { ...(product as object), ...(JSON.parse(reports) as { product: object }).product },
  }));
  await guest.restarts();
  writeFileSync("/etc/systemd/system/pump.service", unit);
  await guest.types("chmod 755 /usr/lib/pump/pump; systemctl daemon-reload; systemctl restart pump.service");
  const runs = (line: string): Promise<Ran> => inUnit(guest, gate, line);
  await isHeard(guest, runs, need, ok);
  await keepsOthersOut(guest, need);
  await boundsFlood(guest, runs, event);
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

const mailWith = (guest: Guest, what: string, words: readonly string[], seconds = 30): Promise<Mail> =>
  guest.until(what, seconds, async () => {
    const mails = (await guest.ask("mails")) as Mail[];
    return mails.find(({ text }) => words.every((word) => text.includes(word)));
  });

async function isHeard(
  guest: Guest,
  runs: (line: string) => Promise<Ran>,
  need: string,
  ok: string,
): Promise<void> {
  const begun = await runs(need);
  guest.check(`its unit reports: ${need}`, begun.status === 0, begun);
  const mail = await mailWith(guest, "the alarm is in the mailbox", [sentence]);
  guest.check("the alarm is in the mailbox", mail.headers.to === "owner@plant.example", mail);
  await guest.types("steward status", { says: sentence });
  const ended = await runs(ok);
  guest.check(`and its end: ${ok}`, ended.status === 0, ended);
  const last = await mailWith(guest, "its end is in the mailbox", [sentence, "Done"]);
  guest.check("its end is in the mailbox", true, last);
}

/** Whatever has the socket's name: what counts is the unit that systemd has put the process into. */
async function keepsOthersOut(guest: Guest, need: string): Promise<void> {
  const cgroup = "/sys/fs/cgroup$(sed -n 's/^0:://p' /proc/self/cgroup)/pump.service";
  const imitates = `mkdir ${cgroup} && echo $$ >${cgroup}/cgroup.procs && ${need}`;
  for (const [who, line] of [
    ["root in a shell", need],
    ["another unit", `systemd-run --quiet --wait --pipe --unit=evil sh -c '${need}'`],
    [
      "a unit with a group of the product's name",
      `systemd-run --quiet --wait --pipe --property=Delegate=yes --unit=evil sh -c ${JSON.stringify(imitates).replaceAll("$", "\\$")}`,
    ],
  ] as const)
    await guest.types(line, { what: `${who} is not heard`, status: 4 });
  await guest.types("! steward status | grep 'pressure is'", { what: "and has made no need" });
}

/** As many as a product that was taken over can send, while an administrator is added. */
async function boundsFlood(guest: Guest, runs: (line: string) => Promise<Ran>, event: string): Promise<void> {
  const events = async (type: string): Promise<number> =>
    (await guest.api(`/api/events?type=${type}&limit=200`)).items.length;
  const before = await events("user.created");
  const flood = await runs(`flood 800 ${event}`);
  guest.check("the product floods", Number(flood.stdout) === 800, flood);
  await guest.types("steward user add mallory --role admin --password-stdin", {
    ...typing("four other words than these"),
    what: "an administrator is added meanwhile",
  });
  const written = await events("product.reported");
  guest.check("of the flood 30 lines are in the record, and one a minute", written <= 34, written);
  guest.check("nothing else has left it", (await events("user.created")) === before + 1);
  const mail = await mailWith(guest, "the administrator is in the mailbox", ["mallory"], 120);
  guest.check("and the mail about the administrator has come", true, mail);
}
