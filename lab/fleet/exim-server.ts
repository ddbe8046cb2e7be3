/** Debian's Exim, from its binary and on loopback: the mail server of an owner, which takes mail from who has signed in. */
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import type { ServerCertificate } from "../host/certificates.ts";
import { type MailUser, readMail } from "../host/mail-server.ts";
import { servingMounted, unpacked } from "./programs.ts";

export interface EximServer {
  /** STARTTLS is offered. */
  readonly submission: number;
  /** TLS from the first byte. */
  readonly submissions: number;
  /** There is no TLS. */
  readonly plain: number;
  /** The mails in the mailbox, in the order of their delivery. */
  readonly mails: () => ReturnType<typeof readMail>[];
  /** While the file is there, mail to `grey` is put off with 451. */
  readonly greyList: string;
  readonly log: () => string;
}

/** The id of Exim's own user, in a list of users that only its process sees. */
const eximId = 64_501;

/** Runs Exim until the test ends. As root: it gives its rights up, and gets its user by a mount that only it sees. */
export async function startExim(
  test: Ending,
  certificate: ServerCertificate,
  user: MailUser,
): Promise<EximServer> {
  const packages = ["exim4-daemon-light", "libidn12", "libgnutls-dane0", "libunbound8", "libevent-2.1-7"];
  const place = unpacked("exim", "usr/sbin/exim4", ...packages);
  const directory = await temporaryDirectory(test);
  chmodSync(directory, 0o755);
  for (const name of ["spool", "log", "mail"]) {
    mkdirSync(join(directory, name));
    chownSync(join(directory, name), eximId, eximId);
  }
  const [submission, submissions, plain] = [await heldPort(), await heldPort(), await heldPort()];
  writeFileSync(join(directory, "certificate.pem"), certificate.cert);
  writeFileSync(join(directory, "key.pem"), certificate.key, { mode: 0o600 });
  chownSync(join(directory, "key.pem"), eximId, eximId);
  const ports = { submission, submissions, plain };
  const program = join(place, "usr/sbin/exim4");
  writeFileSync(join(directory, "exim.conf"), configuration(directory, program, ports, user));
  const said = join(directory, "said");
  await servingMounted(test, plain, [start, directory, place], () =>
    existsSync(said) ? readFileSync(said, "utf8") : "Exim was not started",
  );
  return {
    ...{ ...ports, greyList: join(directory, "grey") },
    mails: () => mailsIn(join(directory, "mail/new")),
    log: () =>
      readdirSync(join(directory, "log"))
        .map((name) => readFileSync(join(directory, "log", name), "utf8"))
        .join(""),
  };
}

/**
 * Exim does not start without the user that Debian has built in. It starts itself again by its set-user-ID bit, so its
 * libraries are found by the linker's cache and not by a variable.
 */
const start = `
cp /etc/passwd "$1/passwd"; cp /etc/group "$1/group"
echo "Debian-exim:x:${eximId}:${eximId}::/nonexistent:/bin/false" >> "$1/passwd"
echo "Debian-exim:x:${eximId}:" >> "$1/group"
/sbin/ldconfig -X -C "$1/ld.so.cache" $(find "$2" -name 'lib*.so.*' -exec dirname {} + | sort -u)
for name in passwd group ld.so.cache; do mount --bind "$1/$name" "/etc/$name"; done
exec "$2/usr/sbin/exim4" -C "$1/exim.conf" -bdf 2> "$1/said"
`;

function configuration(
  directory: string,
  program: string,
  { submission, submissions, plain }: Pick<EximServer, "submission" | "submissions" | "plain">,
  { username, password }: MailUser,
): string {
  return `
exim_path = ${program}
keep_environment =
primary_hostname = mail.plant.example
spool_directory = ${directory}/spool
log_file_path = ${directory}/log/%slog
pid_file_path = ${directory}/spool/exim.pid
local_interfaces = 127.0.0.1
daemon_smtp_ports = ${submission} : ${submissions} : ${plain}
tls_on_connect_ports = ${submissions}
tls_advertise_hosts = \${if eq{$received_port}{${plain}}{}{*}}
tls_certificate = ${directory}/certificate.pem
tls_privatekey = ${directory}/key.pem
auth_advertise_hosts = \${if def:tls_in_cipher{*}{}}
acl_smtp_rcpt = recipient
acl_smtp_data = accept
begin acl
recipient:
  deny !authenticated = *
       message = 5.7.1 Sign in first
  defer local_parts = grey
       condition = \${if exists{${directory}/grey}}
       message = 4.7.1 Greylisted, try again in 300 seconds
  deny local_parts = gone
       message = 5.1.1 No such person
  accept
begin routers
all:
  driver = accept
  transport = mailbox
begin transports
mailbox:
  driver = appendfile
  directory = ${directory}/mail
  maildir_format
  user = ${eximId}
  group = ${eximId}
begin authenticators
plain:
  driver = plaintext
  public_name = PLAIN
  server_prompts = :
  server_condition = \${if and{{eq{$auth2}{${username}}}{eq{$auth3}{${password}}}}}
  server_set_id = $auth2
`;
}

/** Names of a maildir begin with the time of the delivery. */
export function mailsIn(directory: string): ReturnType<typeof readMail>[] {
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .toSorted()
    .map((name) => readMail(readFileSync(join(directory, name))));
}
