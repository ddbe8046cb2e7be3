import { auditSocket, sendAsAgent } from "../../machines/guest/send-as-agent.ts";
import type { Guest, Ran } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { addUser } from "../people.ts";

const mainSocket = "/run/systemd/journal/socket";

/** journald's limit for one service is 10,000 lines in 30 s, and up to six times that where the disk has room. */
const flood = 80_000;

/** Audit lines have a journal of their own: neither they nor other lines drop or push out the others. */
export const scenario: TieredScenario = {
  title: "a flood of log lines drops no audit line, nor one of audit lines any other",
  tiers: { container: {} },
  timeoutSeconds: 240,
  boots: [
    {
      run: async (guest) => {
        await guest.stewardAnswers();
        await addUser(guest);
        await places(guest);
        await floodOfOthers(guest);
        await pushedOut(guest);
        await verified(guest);
        await floodOfAuditLines(guest);
      },
    },
  ],
};

const journal = (guest: Guest, ...words: readonly string[]) =>
  guest.run("journalctl", ["--no-pager", "--output=cat", ...words]);

/** Counts the lines about this user's making in the journal of audit lines and in the usual one. */
async function known(guest: Guest, name: string): Promise<string> {
  const words = ["--unit=steward.service", "STEWARD_EVENT=user.created"];
  const count = ({ stdout }: Ran) => stdout.split("\n").filter((line) => line.includes(`: ${name},`)).length;
  const audit = count(await journal(guest, "--namespace=steward", ...words));
  return `${audit} and ${count(await journal(guest, ...words))}`;
}

const untilKnown = (guest: Guest, name: string) =>
  guest.until("the audit line is there", 20, async () => (await known(guest, name)).startsWith("1 "));

async function places(guest: Guest): Promise<void> {
  await untilKnown(guest, "root-admin");
  const is = await known(guest, "root-admin");
  guest.check("an audit line is in the namespace, and its copy in the journal", is === "1 and 1", is);
  const logs = await guest.steward("logs", "--output", "json", "--limit", "1000");
  const told = logs.stdout.split('"message": "user.created"').length - 1;
  guest.check("and once in the log that people read", told === 1, logs.stdout.slice(0, 2_000));
  const line = { socket: auditSocket, count: 1, text: "forged", user: "nobody" };
  const stranger = await sendAsAgent(guest, line);
  guest.check("other users cannot write there", stranger.stderr.includes("Permission denied"), stranger);
}

async function floodOfOthers(guest: Guest): Promise<void> {
  const lines = { socket: mainSocket, count: flood, text: "ordinary", user: "steward" };
  const sent = await sendAsAgent(guest, lines);
  guest.check("the flood is sent", sent.status === 0, sent);
  await addUser(guest, "amid-flood", "readonly");
  await untilKnown(guest, "amid-flood");
  const kept = (await journal(guest, "--unit=steward.service", "--grep=ordinary")).stdout.split("\n").length;
  guest.check("though journald has dropped lines of the agent", kept < flood, kept);
}

async function pushedOut(guest: Guest): Promise<void> {
  await guest.types("journalctl --rotate; journalctl --vacuum-size=1");
  const is = await known(guest, "root-admin");
  guest.check("the usual journal has lost the beginning, that of audit lines has not", is === "1 and 0", is);
  await guest.types("steward logs --output json --limit 1000", { says: "root-admin" });
}

async function verified(guest: Guest): Promise<void> {
  await guest.restarts();
  const found = await guest.until("the heads are in the journal", 40, async () => {
    const ran = await guest.steward("events", "--verify", "--against-journal");
    return ran.status === 0 && `${ran.stdout}${ran.stderr}`;
  });
  guest.check("the event log verifies against the journal", found.includes("reaches all"), found);
}

async function floodOfAuditLines(guest: Guest): Promise<void> {
  const lines = { socket: auditSocket, count: flood, text: "audit", user: "steward" };
  const sent = await sendAsAgent(guest, lines);
  guest.check("the other flood is sent", sent.status === 0, sent);
  await guest.types("systemd-run --wait --unit=other echo 'an ordinary line'; journalctl --sync");
  await guest.types("journalctl -u other -o cat --no-pager", { says: "an ordinary line" });
  await guest.types("journalctl --no-pager --grep='audit 79999'", { status: 1, what: "nor is it in there" });
  const is = await known(guest, "root-admin");
  guest.check("and it has not pushed out the audit lines before it", is.startsWith("1 "), is);
  const usage = await guest.run("sh", ["-c", "du -sk /var/log/journal/*.steward | cut -f1"]);
  guest.figure("the journal of audit lines after a flood", Number(usage.stdout) / 1024, "MiB");
  guest.check("and has a limit of its own", Number(usage.stdout) <= 18 * 1024, usage);
}
