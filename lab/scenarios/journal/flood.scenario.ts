import { askerFiles, askRoot, asUser, floodRoot } from "../../machines/guest/root-helper.ts";
import { auditSocket, sendAsAgent } from "../../machines/guest/send-as-agent.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";
import type { TieredScenario } from "../../machines/scenario.ts";
import { binary, productFiles } from "../updates/demo-product.ts";
import {
  publishing,
  repositoryAddress,
  trusting,
  updateScenario,
  updateSettings,
} from "../updates/update-scenario.ts";
import { diskAt, writtenTo } from "./flood-disk.ts";

const seconds = 60;
const payloadMiB = 24;

/** Random, so that its payload is as large. */
const filler = (): string => {
  let text = "";
  while (text.length < payloadMiB << 20) text += Math.random().toString(36).slice(2);
  return text;
};

/** An agent that is under an attacker's control can have root write a bounded number of bytes to the disk. */
export const scenario: TieredScenario = {
  title: "a flood of orders and of audit lines has root write a bounded number of bytes",
  tiers: { container: {} },
  timeoutSeconds: 600,
  hasLoopDevices: true,
  ...updateScenario("demo"),
  files: {
    ...askerFiles,
    ...updateSettings(),
    ...productFiles({ successes: 3, interval: "1s", within: "20s" }),
    // Each installation of the flood goes as far as the self-test: it is copied, verified, unpacked and flushed.
    "/usr/lib/demo/self-test": "exit 1\n",
  },
  asks: publishing(binary("1.0.0", "good", filler)),
  boots: [{ units: [], run: flooding }],
};

async function flooding(guest: Guest): Promise<void> {
  const releases = await diskAt(guest, "/var/lib/steward-releases", 512);
  const logs = await diskAt(guest, "/var/log/journal", 512);
  await guest.run("systemctl", ["restart", "systemd-journald.service"]);
  await guest.run("systemctl", ["start", "steward.service"]);
  await trusting(guest);
  const id = await staged(guest);
  const written = measuring(guest, { releases, logs });
  const install = `install ${id}\n`;
  // One after the other: systemd takes orders for a unit that is being started already as one.
  const patient = await written("patient orders", async () => {
    const answers = await askRoot(guest, "steward", Array(14).fill(install));
    return answers.filter((answer) => answer.startsWith("failed")).length;
  });
  guest.check(
    "no more is installed than the bucket holds",
    patient.answer >= 8 && patient.answer <= 12,
    patient,
  );
  // Copied and unpacked, and the file system's own.
  const release = 2.2 * payloadMiB;
  guest.check("and each writes the release", patient.releases >= patient.answer * payloadMiB, patient);
  guest.check("and not more than it", patient.releases <= patient.answer * release, patient);
  const orders = [install, "rollback binary\n", "chrony burst\n", "nonsense\n"];
  const flood = await written("a flood of a minute after them", () =>
    floodRoot(guest, "steward", orders, seconds),
  );
  guest.note(`answers: ${JSON.stringify(flood.answer)}`);
  guest.check("a flood has one more installed at most", flood.releases <= release, flood);
  for (const { journal } of [patient, flood]) guest.check("and the journal little", journal <= 4, journal);
  await floodOfAuditLines(guest);
}

/** As an attacker would: found by the agent, and laid into its directory by its user. */
async function staged(guest: Guest): Promise<string> {
  const { id, path } = (await guest.ask("publish binary 1.0.0")) as { id: string; path: string };
  await guest.until("it is found", 60, async () => {
    const { state, available } = await guest.api("/api/updates");
    if (available.binary?.version === "1.0.0") return true;
    if (state !== "checking") await guest.api("/api/updates/check", {});
    throw new Error(state);
  });
  const place = "/var/lib/steward/updates/staged";
  const fetch = `umask 077; mkdir -p ${place} && curl --silent --fail --output ${place}/${id}.tar.gz ${repositoryAddress}/${path}`;
  const ran = await asUser(guest, "steward", ["sh", "-c", fetch]);
  guest.check("the agent's user has staged a release", ran.status === 0, ran);
  return id;
}

interface Written<T> {
  readonly answer: T;
  /** MiB. */
  readonly releases: number;
  readonly journal: number;
}

/** Prints what is written to both disks while something is done. */
function measuring(guest: Guest, { releases, logs }: { releases: string; logs: string }) {
  const look = async () => [await writtenTo(guest, releases), await writtenTo(guest, logs)] as const;
  return async <T>(what: string, act: () => Promise<T>): Promise<Written<T>> => {
    const before = await look();
    const begun = performance.now();
    const answer = await act();
    const took = Math.round((performance.now() - begun) / 1_000);
    const after = await look();
    const [files, lines] = [after[0] - before[0], after[1] - before[1]];
    guest.figure(`${what}: written to the disk of releases in ${took} s`, Math.round(files), "MiB");
    guest.figure(`${what}: written to the disk of the journal`, Number(lines.toFixed(1)), "MiB");
    return { answer, releases: files, journal: lines };
  };
}

/** However long they are: journald limits their number, and its namespace what it keeps. */
async function floodOfAuditLines(guest: Guest): Promise<void> {
  await guest.run("systemd-run", ["--wait", "--unit=other", "echo", "an ordinary line of another"]);
  await guest.run("journalctl", ["--sync"]);
  const lines = { count: 20_000, text: "audit", user: "steward", noise: 100_000 };
  const sent = await sendAsAgent(guest, { socket: auditSocket, ...lines });
  guest.check("a flood of long audit lines is sent", sent.status === 0, sent);
  const other = await guest.run("journalctl", ["--unit=other.service", "--output=cat"]);
  guest.check("what others have logged before stays", other.stdout.includes("an ordinary line"), other);
  const usage = await guest.run("sh", ["-c", "du -sk /var/log/journal/*.steward | cut -f1"]);
  guest.figure("the journal of audit lines holds", Math.round(Number(usage.stdout) / 1024), "MiB");
  guest.check("and has a limit of its own", Number(usage.stdout) <= 18 * 1024, usage);
}
