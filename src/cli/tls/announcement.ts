import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { resolve } from "node:path";
import { rethrown } from "../../contract/errors.ts";
import type { RunCommand } from "../../host/ports.ts";
import { rootFileFailure, writeRootFile } from "../client/root-file.ts";

/** A program that announces services on the LAN (RFC 6763). */
interface Announcer {
  /** It is installed where this exists. */
  readonly installed: readonly string[];
  readonly file: string;
  readonly text: (port: number) => string;
  /** It takes a restart to read the file; Avahi watches its directory. */
  readonly unit?: string;
}

const announcers: readonly Announcer[] = [
  {
    installed: ["/etc/avahi/services"],
    file: "/etc/avahi/services/steward.service",
    text: (port) => `<?xml version="1.0" standalone="no"?>
<!DOCTYPE service-group SYSTEM "avahi-service.dtd">
<!-- Written by \`steward tls enable\`, removed by \`steward tls disable\`. -->
<service-group>
  <name replace-wildcards="yes">Steward on %h</name>
  <service>
    <type>_https._tcp</type>
    <port>${port}</port>
    <txt-record>path=/</txt-record>
  </service>
</service-group>
`,
  },
  {
    installed: ["/usr/lib/systemd/systemd-resolved", "/lib/systemd/systemd-resolved"],
    file: "/etc/systemd/dnssd/steward.dnssd",
    text: (port) => `# Written by \`steward tls enable\`, removed by \`steward tls disable\`.
[Service]
Name=Steward on %H
Type=_https._tcp
Port=${port}
TxtText=path=/
`,
    unit: "systemd-resolved.service",
  },
];

const usualHostFile = "/etc/steward/steward.json";
const restartMilliseconds = 20_000;

/** Has the daemons announce HTTPS; returns why one cannot. A trial's own host file is not announced. `root`: of its paths. */
export async function announce(
  hostFile: string,
  port: number,
  { run }: { run: RunCommand },
  root = "",
): Promise<string[]> {
  return changed(hostFile, root, async ({ installed, file, text, unit }) => {
    if (!installed.some((path) => existsSync(`${root}${path}`))) return;
    // The daemons have users of their own.
    await writeRootFile(`${root}${file}`, { content: text(port), mode: 0o644 });
    await restart(unit, run);
  });
}

/** Takes the announcement back, and returns why it cannot. */
export async function withdraw(hostFile: string, { run }: { run: RunCommand }, root = ""): Promise<string[]> {
  return changed(hostFile, root, async ({ file, unit }) => {
    if (!existsSync(`${root}${file}`)) return;
    await rm(`${root}${file}`, { force: true }).catch(rethrown((error) => rootFileFailure(error, file)));
    await restart(unit, run);
  });
}

/** HTTPS works without: what cannot be changed is said, and ends nothing. */
async function changed(
  hostFile: string,
  root: string,
  change: (announcer: Announcer) => Promise<void>,
): Promise<string[]> {
  const failures: string[] = [];
  if (resolve(hostFile) !== `${root}${usualHostFile}`) return failures;
  for (const announcer of announcers)
    await change(announcer).catch((error: Error) => failures.push(error.message));
  return failures;
}

/** Restarts a running daemon. If that fails, only the announcement is missing. */
async function restart(unit: string | undefined, run: RunCommand): Promise<void> {
  if (unit === undefined) return;
  await run("systemctl", ["try-restart", unit], { timeoutMilliseconds: restartMilliseconds }).catch(
    () => undefined,
  );
}
