import type { Guest, Ran } from "./vocabulary.ts";

/** The socket that the agent sends audit lines to. */
export const auditSocket = "/run/systemd/journal.steward/socket";

/** Lines for a socket of journald. */
export interface Sending {
  readonly socket: string;
  /** Lines at most. */
  readonly count: number;
  /** Seconds at most; default 100. */
  readonly seconds?: number;
  readonly text: string;
  readonly user: string;
  /** Bytes of noise in each line, which no journald can compress; default none. */
  readonly noise?: number;
}

/** Sends lines as a process of the agent's own unit: journald counts by unit. */
export async function sendAsAgent(
  guest: Guest,
  { socket, count, seconds = 100, text, user, noise = 0 }: Sending,
): Promise<Ran> {
  const program = `use IO::Socket::UNIX; my ($path, $count, $seconds, $text, $noise) = @ARGV;
my $end = time + $seconds;
my $s = IO::Socket::UNIX->new(Type => SOCK_DGRAM, Peer => $path) or die "no: $!\\n";
my $rest = join "", map { chr(35 + int rand 90) } 1..$noise;
for my $i (1..$count) { last if time >= $end; $s->send("MESSAGE=$text $i $rest\\nPRIORITY=5\\n") or die "no: $!\\n"; }`;
  const { stdout } = await guest.run("systemctl", ["show", "steward", "--property=ControlGroup", "--value"]);
  const groups = ["/sys/fs/cgroup/systemd", "/sys/fs/cgroup/unified", "/sys/fs/cgroup"].map(
    (root) => `${root}${stdout.trim()}`,
  );
  const join = `for group in ${groups.join(" ")}; do [ ! -e "$group/cgroup.procs" ] || echo $$ >"$group/cgroup.procs"; done; exec "$@"`;
  const identity = ["setpriv", `--reuid=${user}`, "--clear-groups"];
  const words = [
    ...identity,
    "perl",
    "-e",
    program,
    socket,
    String(count),
    String(seconds),
    text,
    String(noise),
  ];
  return guest.run("sh", ["-c", join, "sh", ...words], { timeoutSeconds: 150 });
}
