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
        await addUser(guest, "root-admin", "admin");
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
async function known(guest: Guest, name: string): Promise<{ audit: number; main: number }> {
  const words = ["--unit=steward.service", "STEWARD_EVENT=user.created"];
  const count = ({ stdout }: Ran) => stdout.split("\n").filter((line) => line.includes(`: ${name},`)).length;
  return {
    audit: count(await journal(guest, "--namespace=steward", ...words)),
    main: count(await journal(guest, ...words)),
  };
}

async function places(guest: Guest): Promise<void> {
  const is = await guest.until("the line is there", 20, async () => {
    const found = await known(guest, "root-admin");
    return found.audit > 0 && found.main > 0 ? found : undefined;
  });
  guest.check(
    "an audit line is in the namespace, and its copy in the journal",
    is.audit === 1 && is.main === 1,
    is,
  );
  const logs = await guest.steward("logs", "--output", "json", "--limit", "1000");
  const told = logs.stdout.split('"message": "user.created"').length - 1;
  guest.check("and once in the log that people read", told === 1, logs.stdout.slice(0, 2_000));
  const stranger = await sendAsAgent(guest, {
    socket: auditSocket,
    count: 1,
    text: "forged",
    user: "nobody",
  });
  guest.check("other users cannot write there", stranger.stderr.includes("Permission denied"), stranger);
}

async function floodOfOthers(guest: Guest): Promise<void> {
  const sent = await sendAsAgent(guest, {
    socket: mainSocket,
    count: flood,
    text: "ordinary",
    user: "steward",
  });
  guest.check("the flood is sent", sent.status === 0, sent);
  const added = await addUser(guest, "amid-flood", "readonly");
  guest.check("the user is made", added.status === 0, added);
  const is = await guest.until("the audit line is there", 20, async () => {
    const found = await known(guest, "amid-flood");
    return found.audit > 0 ? found : undefined;
  });
  guest.check("the flood has dropped no audit line", is.audit === 1, is);
  const lines = (await journal(guest, "--unit=steward.service", "--grep=ordinary")).stdout.split("\n").length;
  guest.check("though journald has dropped lines of the agent", lines < flood, lines);
}

async function pushedOut(guest: Guest): Promise<void> {
  await guest.run("journalctl", ["--rotate"]);
  await guest.run("journalctl", ["--vacuum-size=1"]);
  const is = await known(guest, "root-admin");
  guest.check(
    "the usual journal has lost the beginning, that of audit lines has not",
    is.audit === 1 && is.main === 0,
    is,
  );
  const logs = await guest.steward("logs", "--output", "json", "--limit", "1000");
  guest.check("people still read it", logs.stdout.includes("root-admin"), logs.stdout.slice(0, 2_000));
}

async function verified(guest: Guest): Promise<void> {
  await guest.run("systemctl", ["restart", "steward.service"]);
  await guest.stewardAnswers();
  const found = await guest.until("the heads are in the journal", 40, async () => {
    const ran = await guest.steward("events", "--verify", "--against-journal");
    return ran.status === 0 ? ran : undefined;
  });
  guest.check(
    "the event log verifies against the journal",
    found.stdout.includes("reaches all") || found.stderr.includes("reaches all"),
    found,
  );
}

async function floodOfAuditLines(guest: Guest): Promise<void> {
  const sent = await sendAsAgent(guest, {
    socket: auditSocket,
    count: flood,
    text: "audit",
    user: "steward",
  });
  guest.check("the other flood is sent", sent.status === 0, sent);
  await guest.run("systemd-run", ["--wait", "--unit=other", "echo", "an ordinary line of another"]);
  await guest.run("journalctl", ["--sync"]);
  const other = await journal(guest, "--unit=other.service");
  guest.check("it leaves the journal alone", other.stdout.includes("an ordinary line of another"), other);
  const main = await journal(guest, "--grep=audit 79999");
  guest.check("in which it is not", !main.stdout.includes("audit 79999"), main.stdout.slice(0, 500));
  const is = await known(guest, "root-admin");
  guest.check("and it has not pushed out the audit lines before it", is.audit === 1, is);
  const usage = await guest.run("sh", ["-c", "du -sk /var/log/journal/*.steward | cut -f1"]);
  guest.figure("the journal of audit lines after a flood", Number(usage.stdout) / 1024, "MiB");
  guest.check("and has a limit of its own", Number(usage.stdout) <= 18 * 1024, usage);
}
