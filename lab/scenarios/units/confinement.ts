import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { clockProgram } from "../../machines/guest/clock-program.ts";
import type { Guest } from "../../machines/guest/vocabulary.ts";

const dropIn = "/etc/systemd/system/steward.service.d/probe.conf";

/** Ends well where steward-logs answers to the end. */
const askForLogs = `$s = IO::Socket::UNIX->new(Peer => "/run/steward-logs.socket") or die $!;
print $s "read\\n"; $s->flush; @lines = <$s>; exit($lines[-1] ne "end\\n");`;

/** Ends with 0 where a datagram to this address is sent, with 1 where the kernel refuses it (IPAddressDeny=). */
const send = (address: string) =>
  `perl -MIO::Socket::INET -MErrno=EPERM -e 'my $s = IO::Socket::INET->new(Proto => "udp", PeerAddr => "${address}", PeerPort => 80) or exit 2; exit 0 if defined $s->send("x"); exit($! == EPERM ? 1 : 3)'`;

/** Commands that run before the agent, in its unit and so under all that confines it; their ends are what counts. */
const commands = {
  "reads the kernel's clock": `perl "$P" read`,
  "sets the kernel's clock": `perl "$P" step 0`,
  "asks chronyd over loopback": "chronyc -c tracking",
  "cannot start a unit itself": "! systemctl start steward-chrony@reselect.service",
  "asks whether a time daemon is active": "systemctl is-active chrony.service",
  "asks by D-Bus":
    "busctl get-property org.freedesktop.timedate1 /org/freedesktop/timedate1 org.freedesktop.timedate1 NTP",
  "reads /proc/uptime": "cat /proc/uptime",
  "sees the cgroups of others": "test -d /sys/fs/cgroup/system.slice/chrony.service",
  "cannot read the journal": "! journalctl --quiet --lines=1 --unit=init.scope | grep .",
  "reads the allowed logs": `perl -MIO::Socket::UNIX -e '${askForLogs}'`,
  "sends to the network": send("10.0.2.2"),
  "cannot send to a metadata service": `${send("169.254.169.254")}; test $? -eq 1`,
  "has a bound of memory":
    'test "$(cat "/sys/fs/cgroup$(cut -d: -f3 /proc/self/cgroup)/memory.max")" -eq 268435456',
  "cannot write to /etc": "! touch /etc/steward/probe",
  "cannot write to a cgroup": "! mkdir /sys/fs/cgroup/probe",
  "cannot become root": "! setpriv --reuid 0 true",
  "cannot make a namespace": "! unshare --user true",
  "does not see a device": "! test -e /dev/vda",
  "does not see other users' processes": "! test -e /proc/1/status",
} as const;

/** Starts the agent again with the commands before it, chronyd running, and checks how each of them ended. */
export async function probe(guest: Guest): Promise<void> {
  writeFileSync("/usr/lib/steward-vm/clock.pl", clockProgram);
  const lines = Object.entries(commands).map(
    ([name, command]) =>
      `( ${command} ) >/run/steward/said 2>&1; echo "$?|${name}|$(head -c 300 /run/steward/said | tr '\\n' ' ')"`,
  );
  writeFileSync("/usr/lib/steward-vm/probe.sh", ["P=/usr/lib/steward-vm/clock.pl", ...lines, ""].join("\n"));
  mkdirSync(dirname(dropIn), { recursive: true });
  const before = "/bin/sh -c 'sh /usr/lib/steward-vm/probe.sh >/run/steward/probe'";
  writeFileSync(dropIn, `[Service]\nExecStartPre=${before}\n`);
  writeFileSync("/etc/chrony/chrony.conf", "driftfile /var/lib/chrony/chrony.drift\n");
  await guest.types("systemctl daemon-reload; systemctl start chrony; systemctl restart steward");
  const ends = readFileSync("/run/steward/probe", "utf8").split("\n");
  for (const name of Object.keys(commands)) {
    const line = ends.find((one) => one.split("|")[1] === name) ?? "it never ran";
    guest.check(`inside its unit: ${name}`, line.startsWith("0|"), line);
  }
}
