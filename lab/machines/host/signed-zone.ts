import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface SignedZone {
  /** The zone's trust anchor, a line of a file in /etc/dnssec-trust-anchors.d (dnssec-trust-anchors.d(5)). */
  readonly anchor: string;
  /** Starts BIND's named with the zone, at port 53 of every address of the scenario's own network; it ends with the scenario. */
  serve(): ChildProcess;
}

/**
 * A zone, such as `example`, with these records, one a line, signed by BIND's own tools. `from`, `until`: seconds since 1970
 * between which the signatures are valid.
 */
export function signZone(
  name: string,
  records: readonly string[],
  { from, until }: { readonly from: number; readonly until: number },
): SignedZone {
  const directory = mkdtempSync(join(tmpdir(), "signed-zone-"));
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(program, args, { cwd: directory, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const key = run("dnssec-keygen", ["-q", "-a", "ECDSAP256SHA256", "-f", "KSK", name]).trim();
  const lines = [
    "$TTL 60",
    `@ IN SOA ns.${name}. root.${name}. 1 3600 600 86400 60`,
    `@ IN NS ns.${name}.`,
    "ns IN A 10.0.2.2",
    ...records,
    `$INCLUDE ${key}.key`,
  ];
  writeFileSync(join(directory, "zone"), `${lines.join("\n")}\n`);
  const validity = ["-s", stamp(from), "-e", stamp(until)];
  // -P: it would not believe a signature that is not valid yet.
  run("dnssec-signzone", ["-q", "-P", "-z", "-o", name, ...validity, "zone", key]);
  return { anchor: run("dnssec-dsfromkey", ["-2", `${key}.key`]), serve: () => serve(name, directory) };
}

/** dnssec-signzone's form of a time: YYYYMMDDHHMMSS in UTC. */
function stamp(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace(/\D/g, "").slice(0, 14);
}

function serve(name: string, directory: string): ChildProcess {
  const configuration = `options {
  directory "${directory}"; pid-file none; session-keyfile none; recursion no; allow-query { any; };
  listen-on { any; }; listen-on-v6 { none; };
};
controls { };
zone "${name}" { type primary; file "zone.signed"; };
`;
  writeFileSync(join(directory, "named.conf"), configuration);
  return spawn("named", ["-f", "-c", join(directory, "named.conf")], { stdio: "ignore" });
}
