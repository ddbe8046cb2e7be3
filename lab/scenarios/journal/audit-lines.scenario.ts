import { auditSocket, sendAsAgent } from "../../machines/guest/send-as-agent.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import { type TieredScenario, walk } from "../../machines/scenario.ts";
import { addUser } from "../people.ts";

const mainSocket = "/run/systemd/journal/socket";

/** journald's limit for one service is 10,000 lines in 30 s, and up to six times that where the disk has room. */
const flood = 80_000;

/** Audit lines have a journal of their own: neither they nor other lines drop or push out the others. */
export const scenario: TieredScenario = {
  title: "a flood of log lines drops no audit line, nor one of audit lines any other",
  tiers: { container: {} },
  timeoutSeconds: 240,
  boots: [{ run: walk(places, floodOfOthers, pushedOut, floodOfAuditLines) }],
};

/** The lines about this user's making, in the journal of audit lines or, without its name, in the usual one. */
const made = (name: string, journal = "") =>
  `journalctl ${journal} --no-pager -o cat -u steward STEWARD_EVENT=user.created | grep -c ': ${name},'`;
const audit = "--namespace=steward";
const once = { says: /^1$/m };

async function places(guest: Guest): Promise<void> {
  await addUser(guest);
  await guest.becomes(made("root-admin", audit), 20, once);
  await guest.types(made("root-admin"), { ...once, what: "its copy is in the usual journal" });
  await guest.types(`steward logs -o json --limit 1000 | grep -c '"message": "user.created"'`, {
    ...once,
    what: "and once in the log that people read",
  });
  const line = { socket: auditSocket, count: 1, text: "forged", user: "nobody" };
  const stranger = await sendAsAgent(guest, line);
  guest.check("other users cannot write there", stranger.stderr.includes("Permission denied"), stranger);
}

async function floodOfOthers(guest: Guest): Promise<void> {
  const lines = { socket: mainSocket, count: flood, text: "ordinary", user: "steward" };
  const sent = await sendAsAgent(guest, lines);
  guest.check("the flood is sent", sent.status === 0, sent);
  await addUser(guest, "amid-flood", "readonly");
  await guest.becomes(made("amid-flood", audit), 20, once);
  const count = "journalctl --no-pager -o cat -u steward --grep=ordinary | wc -l";
  await guest.types(`[ "$(${count})" -lt ${flood} ]`, { what: "though journald has dropped lines" });
}

/** The usual journal loses its beginning, and that of audit lines does not. */
async function pushedOut(guest: Guest): Promise<void> {
  await guest.types("journalctl --rotate; journalctl --vacuum-size=1");
  await guest.types(made("root-admin", audit), once);
  await guest.types(made("root-admin"), { status: 1, says: /^0$/m });
  await guest.types("steward logs --output json --limit 1000", { says: "root-admin" });
  await guest.restarts();
  await guest.becomes("steward events --verify --against-journal", 40, { says: "reaches all" });
}

async function floodOfAuditLines(guest: Guest): Promise<void> {
  const lines = { socket: auditSocket, count: flood, text: "audit", user: "steward" };
  const sent = await sendAsAgent(guest, lines);
  guest.check("the other flood is sent", sent.status === 0, sent);
  await guest.types("systemd-run --wait --unit=other echo 'an ordinary line'; journalctl --sync");
  await guest.types("journalctl -u other -o cat --no-pager", { says: "an ordinary line" });
  await guest.types("journalctl --no-pager --grep='audit 79999'", { status: 1, what: "nor is it in there" });
  await guest.types(made("root-admin", audit), { ...once, what: "the audit lines before it are there" });
  const usage = await guest.run("sh", ["-c", "du -sk /var/log/journal/*.steward | cut -f1"]);
  guest.figure("the journal of audit lines after a flood", Number(usage.stdout) / 1024, "MiB");
  guest.check("and has a limit of its own", Number(usage.stdout) <= 18 * 1024, usage);
}
