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
  const group = await guest.property("ControlGroup");
  const groups = ["systemd", "unified", "."].map((root) => `/sys/fs/cgroup/${root}${group}`).join(" ");
  const join = `for group in ${groups}; do [ ! -e "$group/cgroup.procs" ] || echo $$ >"$group/cgroup.procs"; done; exec "$@"`;
  const words = [count, seconds, text, noise].map(String);
  const identity = ["setpriv", `--reuid=${user}`, "--clear-groups", "perl", "-e", program, socket];
  return guest.run("sh", ["-c", join, "sh", ...identity, ...words], { timeoutSeconds: 150 });
}
