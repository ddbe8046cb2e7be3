/**
 * OpenSMTPD of Debian 13, unpacked with all that it links to, and on loopback: a mail server with rules of its own for
 * connections, greetings and recipients. That of Debian 12 cannot sign with its key under OpenSSL 3, so it has no TLS.
 */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import type { ServerCertificate } from "../host/certificates.ts";
import type { MailUser, readMail } from "../host/mail-server.ts";
import { mailsIn } from "./exim-server.ts";
import { startMounted } from "./mount-namespace.ts";

export interface OpenSmtpdServer {
  /** STARTTLS and a sign-in are demanded; mail to `grey@plant.example` is put off. */
  readonly submission: number;
  /** TLS from the first byte, and a sign-in. */
  readonly submissions: number;
  /** The same as `submission`, but no greeting by an address is accepted. */
  readonly named: number;
  /** No client is accepted. */
  readonly closed: number;
  /** The mails in the mailbox, in the order of their delivery. */
  readonly mails: () => ReturnType<typeof readMail>[];
}

/** The ids of its own users and of the mailbox, in lists that only its processes see. */
const ids = { opensmtpd: 64_502, opensmtpq: 64_503, mailbox: 64_504 };

/** Bytes of a mail that it takes. */
const mostMailBytes = 4_000;

/** Runs OpenSMTPD until the test ends, as root: it gives its rights up. */
export async function startOpenSmtpd(
  test: Ending,
  { cert, key }: ServerCertificate,
  user: MailUser,
): Promise<OpenSmtpdServer> {
  const directory = await temporaryDirectory(test);
  chmodSync(directory, 0o755);
  mkdirSync(join(directory, "mail"));
  const ports = {
    ...{ submission: await heldPort(), submissions: await heldPort() },
    ...{ named: await heldPort(), closed: await heldPort() },
  };
  writeFileSync(join(directory, "certificate.pem"), cert);
  writeFileSync(join(directory, "key.pem"), key, { mode: 0o600 });
  const users = Object.entries(ids).map(([name, id]) => `${name}:x:${id}:`);
  writeFileSync(join(directory, "group"), `${users.join("\n")}\n`);
  const accounts = users.map((line) => `${line}${line.split(":")[2]}::/here/mail:/bin/sh`);
  writeFileSync(join(directory, "passwd"), `root:x:0:0::/:/bin/sh\n${accounts.join("\n")}\n`);
  writeFileSync(join(directory, "smtpd.conf"), configuration(ports, user));
  const said = join(directory, "said");
  await startMounted(test, {
    ...{ script: start, args: [directory, unpacked()], port: ports.closed },
    said: () => (existsSync(said) ? readFileSync(said, "utf8") : "OpenSMTPD was not started"),
  });
  return { ...ports, mails: () => mailsIn(join(directory, "mail/box/new")) };
}

/** The packages, unpacked once. */
function unpacked(): string {
  const place = join(process.cwd(), ".cache/opensmtpd-debian-13");
  if (existsSync(place)) return place;
  mkdirSync(".cache", { recursive: true });
  const part = mkdtempSync(`${place}-`);
  const what = ["--quiet", "--variant=extract", "--include=opensmtpd,dash", "trixie", part];
  execFileSync("mmdebstrap", what, { stdio: ["ignore", "inherit", "inherit"] });
  renameSync(part, place);
  return place;
}

const start = `
mkdir "$1/root"
mount -t tmpfs tmpfs "$1/root"
cd "$1/root"
mkdir -p usr dev run tmp here etc/ssl/certs var/lib/opensmtpd/empty var/spool/smtpd
mount --bind "$2/usr" usr
mount --rbind /dev dev
mount --bind "$1" here
for name in bin sbin lib lib64; do ln -s "usr/$name" "$name"; done
ln -s ../run var/run
chmod 711 var/spool/smtpd
cp here/passwd here/group etc
cp here/certificate.pem etc/ssl/certs/ca-certificates.crt
chown ${ids.mailbox}:${ids.mailbox} here/mail
exec chroot . /usr/sbin/smtpd -d -f /here/smtpd.conf 2> "$1/said"
`;

function configuration(ports: Omit<OpenSmtpdServer, "mails">, { username, password }: MailUser): string {
  const hash = execFileSync("openssl", ["passwd", "-6", "-stdin"], { input: password, encoding: "utf8" });
  const { submission, submissions, named, closed } = ports;
  const signedIn = "pki here auth <users> hostname mail.plant.example";
  return `
smtp max-message-size ${mostMailBytes}
pki here cert "/here/certificate.pem"
pki here key "/here/key.pem"
table users { ${username} = "${hash.trim()}" }
table mailboxes { "owner@plant.example" = mailbox, "grey@plant.example" = mailbox }
filter grey phase rcpt-to match rcpt-to "grey@plant.example" reject "451 4.7.1 Greylisted"
filter named phase ehlo match helo regex "^\\[" reject "550 5.7.1 No address literals"
filter closed phase connect match src "127.0.0.1" disconnect "554 5.7.1 Client host blocked"
listen on 127.0.0.1 port ${submission} tls-require ${signedIn} filter grey
listen on 127.0.0.1 port ${submissions} smtps ${signedIn}
listen on 127.0.0.1 port ${named} tls-require ${signedIn} filter named
listen on 127.0.0.1 port ${closed} tls-require ${signedIn} filter closed
action keep maildir "/here/mail/box" virtual <mailboxes>
match auth from any for domain "plant.example" action keep
`;
}
