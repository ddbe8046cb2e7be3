import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { NewRelease } from "../../machines/host/publisher.ts";

/** The address at which the product of these scenarios answers in the machine. */
export const productAddress = "http://127.0.0.1:9000";

/** The behaviour of a release once it is started. */
export type Behaviour = "good" | "unhealthy" | "exits" | "hangs" | "dies after 5 s";

/** The product: a small HTTP service in perl, which starts in a tenth of a second even under emulation. */
export const server = (
  version: string,
  behaviour: Behaviour,
): string => `use strict; use warnings; use IO::Socket::INET;
my ($version, $behaviour) = ("${version}", "${behaviour}");
exit 3 if $behaviour eq "exits";
$SIG{PIPE} = "IGNORE";
if ($behaviour eq "dies after 5 s") { $SIG{ALRM} = sub { exit 4 }; alarm 5; }
my $listener = IO::Socket::INET->new(LocalAddr => "127.0.0.1", LocalPort => 9000, Listen => 16, ReuseAddr => 1) or die "no port: $!";
while (1) {
  my $caller = $listener->accept or next;
  while (defined(my $line = <$caller>)) { last if $line =~ /^\\r?$/; }
  sleep 1 while $behaviour eq "hangs";
  my $status = $behaviour eq "unhealthy" ? 503 : 200;
  my $body = "{\\"version\\": \\"$version\\"}";
  print $caller "HTTP/1.1 $status X\\r\\nContent-Type: application/json\\r\\nContent-Length: " . length($body) . "\\r\\nConnection: close\\r\\n\\r\\n$body";
  close $caller;
}
`;

/** A binary of the product; `filler` makes its payload larger, so that each step takes its time, and is made only then. */
export function binary(version: string, behaviour: Behaviour = "good", filler?: () => string): NewRelease {
  const tree = (directory: string): void => {
    writeFileSync(join(directory, "server.pl"), server(version, behaviour));
    if (filler) writeFileSync(join(directory, "filler"), filler());
  };
  return { kind: "binary", version, tree };
}

/** Rules of the product. */
export function rules(version: string, text = version): NewRelease {
  const tree = (directory: string) => writeFileSync(join(directory, "base.rules"), `${text}\n`);
  return { kind: "rules", name: "base", version, tree };
}

const unit = `[Unit]
Description=The product of the scenario
ConditionPathExists=/var/lib/steward-releases/binary/current/server.pl
[Service]
Type=exec
User=nobody
ExecStart=/usr/bin/perl /var/lib/steward-releases/binary/current/server.pl
Restart=on-failure
RestartSec=1
`;

/** A self-test, which also reports the faults of its sandbox. */
const selfTest = `set -eu
[ "$(id -u)" -ne 0 ] || { echo "a release is tried as root"; exit 1; }
if touch "$1/probe" 2>/dev/null; then echo "a release can change itself"; exit 1; fi
if grep -q eth0 /proc/net/dev; then echo "a release is tried with a network"; exit 1; fi
if ls /var/lib/steward-trust 2>/dev/null; then echo "a release sees what root trusts"; exit 1; fi
exec perl -c "$1/server.pl"
`;

/** The number of healthy answers that the product must give, and the time for them. */
export interface Patience {
  readonly successes: number;
  readonly interval: string;
  readonly within: string;
}

/** The product's files in the machine: its unit, and what root has decided about its releases. */
export function productFiles(patience: Patience): Readonly<Record<string, string>> {
  const health = { http: [{ url: `${productAddress}/health`, status: 200, version_member: "version" }] };
  const binary = {
    unit: "demo-product.service",
    self_test: ["/bin/sh", "/usr/lib/demo/self-test", "{release}"],
    health: { ...health, ...patience },
  };
  const decisions = { product: "demo", update: { binary } };
  return {
    "/etc/systemd/system/demo-product.service": unit,
    "/usr/lib/demo/self-test": selfTest,
    "/etc/steward/steward.json": `${JSON.stringify(decisions, null, 1)}\n`,
  };
}
