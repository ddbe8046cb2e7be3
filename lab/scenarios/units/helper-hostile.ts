import { chmodSync, readFileSync, readlinkSync } from "node:fs";
import { askRoot, asUser } from "../../machines/guest/root-helper.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";

const socket = "/run/steward-helper.socket";
const id = "0123456789abcdef".repeat(2);

/** Bytes that are nearly an order: each names what it tries. */
const malformed: Readonly<Record<string, string>> = {
  "a NUL behind the word": "reboot\0\n",
  "a NUL in the argument": "host-name pump\0-8\n",
  "two orders": "reboot\nreboot\n",
  "an order and an empty line": "power-off\n\n",
  "an order without a line feed": "reboot",
  "a line of 128 bytes": `${"x".repeat(127)}\n`,
  "a line of 100,000 bytes": `host-name ${"a".repeat(100_000)}\n`,
  "bytes that are no text": "\u00ff\u00fe\u0080\n",
  "an id that is a path": `install ../../../../etc/${id.slice(16)}\n`,
  "an id with a slash": `install ${id.slice(1)}/\n`,
  "an id that ends in a unit": `install ${id}.service\n`,
  "an option": "install --version\n",
  "a percent sign, which systemd would expand": `install ${id.slice(2)}%h\n`,
  "a zone above the database": "time-zone Europe/../../../etc/shadow\n",
  "an absolute zone": "time-zone /etc/shadow\n",
  "a zone with a word of the shell": "time-zone Europe/$(id)\n",
  "a host name with a semicolon": "host-name a;reboot\n",
  "a host name with a command": "host-name `id`\n",
  "a host name with a line feed": "host-name a\nb\n",
  "a host name that is an option": "host-name --static\n",
  "a verb with a line feed": "chrony burst\nshutdown\n",
};

/** The machine's name and zone, and the jobs of systemd. */
async function standing(guest: Guest): Promise<string> {
  const { stdout } = await guest.run("systemctl", ["list-jobs", "--no-legend", "--no-pager"]);
  return [readFileSync("/etc/hostname", "utf8"), readlinkSync("/etc/localtime"), stdout].join("|");
}

/** An agent that someone has taken over tries what it can at the socket to root. */
export async function hostile(guest: Guest): Promise<void> {
  const before = await standing(guest);
  const answers = await askRoot(guest, "steward", Object.values(malformed));
  const taken = Object.keys(malformed).filter((_, index) => answers[index] !== "refused");
  guest.check("nothing that is nearly an order is taken", taken.length === 0, taken);
  guest.figure("lines that were nearly an order", answers.length, "");
  await held(guest);
  const after = await standing(guest);
  guest.check("and nothing of the machine has changed", after === before, [before, after]);
}

/** The mode of the socket keeps other users out; the helper does so itself where it does not. */
export async function strangers(guest: Guest): Promise<void> {
  chmodSync(socket, 0o666);
  const [answer] = await askRoot(guest, "visitor", ["reboot\n"]);
  chmodSync(socket, 0o600);
  guest.check("another user who gets to the socket is refused", answer === "refused", answer);
  await guest.types(
    'journalctl -u steward-helper -o cat --no-pager | grep "refused to user $(id -u visitor), process"',
  );
}

/** Half a line, held open on as many connections as the process may have, for so many seconds. */
const holding = `const { connect } = require("node:net");
let held = 0;
for (let at = 0; at < 500; at += 1) {
  const one = connect("${socket}", () => { held += 1; one.write("reb"); });
  one.on("error", () => {});
}
setTimeout(() => { console.log(held); process.exit(); }, 6000);`;

async function held(guest: Guest): Promise<void> {
  const helper = () => guest.property("MainPID", "steward-helper.service");
  const before = await helper();
  const flood = asUser(guest, "steward", ["/usr/lib/steward/bin/node", "--eval", holding]);
  await guest.pause(2);
  await guest.types("ps -C steward-helper -o pid=", { says: /^\s*\d+\s*$/, what: "one process meanwhile" });
  guest.figure("connections that half a line held open at once", Number((await flood).stdout), "");
  const [next = ""] = await askRoot(guest, "steward", ["chrony burst\n"]);
  guest.check("an order after them is taken", /^(ok|failed \d+)$/.test(next), next);
  guest.check("by the same process", (await helper()) === before);
}

/** A drop-in that prints the identity of a command to chronyd, from /proc/self/status. */
export const chronyDropIn: Readonly<Record<string, string>> = {
  "/usr/lib/sysusers.d/chrony.conf": "u _chrony - chronyd /var/lib/chrony\n",
  "/etc/systemd/system/steward-chrony@.service.d/standing.conf": `[Service]
ExecStartPre=/bin/sh -c 'id -un; grep -E "^(Uid|Gid|CapEff|CapBnd|NoNewPrivs|Seccomp):" /proc/self/status'
`,
};

export async function chronyAsItsUser(guest: Guest): Promise<void> {
  await askRoot(guest, "steward", ["chrony reselect\n"]);
  const said = await guest.until("the unit has said what it is", 20, async () => {
    const unit = ["--unit=steward-chrony@reselect.service", "--output=cat", "--no-pager"];
    const { stdout } = await guest.run("journalctl", unit);
    return /^Seccomp:/m.test(stdout) && stdout;
  });
  const isDropped = [
    /^_chrony$/m,
    /^CapEff:\s+0+$/m,
    /^CapBnd:\s+0+$/m,
    /^NoNewPrivs:\s+1$/m,
    /^Seccomp:\s+2$/m,
  ];
  const missing = isDropped.filter((line) => !line.test(said));
  guest.check("a command to chronyd runs as its user, without a capability", missing.length === 0, said);
}
