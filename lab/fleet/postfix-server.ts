/** Debian's Postfix, unpacked and on loopback: it takes mail from who has signed in, with the checks of a strict server. */

import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Ending, temporaryDirectory } from "../basics/ending.ts";
import { heldPort } from "../basics/held-ports.ts";
import type { ServerCertificate } from "../host/certificates.ts";
import { unpacked } from "../host/debian-packages.ts";
import { type MailUser, readMail } from "../host/mail-server.ts";
import { servingMounted } from "./programs.ts";

export interface PostfixServer {
  /** A sign-in is demanded, after STARTTLS or, at `submissions`, with TLS from the first byte. */
  readonly submission: number;
  readonly submissions: number;
  /** STARTTLS without a sign-in. The name of a greeting is checked in each way that Postfix knows. */
  readonly strict: number;
  /** The mails in the mailbox, in the order of their delivery. */
  readonly mails: () => ReturnType<typeof readMail>[];
  /** Puts mail to `grey@plant.example` off from now on, or takes it. */
  readonly greylist: (isOn: boolean) => void;
  readonly log: () => string;
}

/** The ids of Postfix' own user and group, in lists that only its processes see. */
const [postfixId, postdropId] = [64_502, 64_503];

/** Bytes of a mail that it takes. */
export const mostMailBytes = 4_000;

/** Runs Postfix until the test ends. As root: its master gives each daemon the rights that it needs. */
export async function startPostfix(
  test: Ending,
  certificate: ServerCertificate,
  { username, password }: MailUser,
): Promise<PostfixServer> {
  const place = postfixPrograms();
  const directory = await temporaryDirectory(test);
  const ports = { submission: await heldPort(), submissions: await heldPort(), strict: await heldPort() };
  prepare(directory, ports, certificate);
  const putOff = "grey@plant.example defer_if_permit 4.7.1 Greylisted\n";
  const greylist = (isOn: boolean): void => writeFileSync(join(directory, "grey"), isOn ? putOff : "");
  greylist(false);
  const logPath = join(directory, "log");
  const log = (): string => (existsSync(logPath) ? readFileSync(logPath, "utf8") : "");
  await servingMounted(test, ports.strict, [start, directory, place, username, password], log);
  const box = join(directory, "mail/owner/new");
  // Names of a maildir begin with the time of the delivery.
  const mails = () =>
    (existsSync(box) ? readdirSync(box).toSorted() : []).map((name) =>
      readMail(readFileSync(join(box, name))),
    );
  return { ...ports, greylist, log, mails };
}

const libraries = "libsasl2-2 libsasl2-modules libsasl2-modules-db libdb5.3 libicu72 libnsl2 libtirpc3".split(
  " ",
);

/** The folder of its programs. */
export function postfixPrograms(): string {
  return unpacked("postfix", "usr/sbin/saslpasswd2", "postfix", "sasl2-bin", ...libraries);
}

type Ports = Pick<PostfixServer, "submission" | "submissions" | "strict">;

function prepare(directory: string, ports: Ports, { cert, key }: ServerCertificate): void {
  chmodSync(directory, 0o755);
  for (const name of ["queue", "data", "mail", "sasl"]) mkdirSync(join(directory, name));
  writeFileSync(join(directory, "chain.pem"), `${key}${cert}`, { mode: 0o600 });
  writeFileSync(join(directory, "sasl/smtpd.conf"), `${sasl}sasldb_path: ${directory}/sasldb2\n`);
  writeFileSync(join(directory, "main.cf"), parameters(directory));
  writeFileSync(join(directory, "master.cf"), services(ports));
}

/** Its programs and libraries are at their usual places, and its users exist, for its processes only. */
const start = `
mount -t overlay overlay -o "lowerdir=$2/usr:/usr" /usr
cp /etc/passwd /etc/group "$1"
echo "postfix:x:${postfixId}:${postfixId}::/nonexistent:/bin/false" >> "$1/passwd"
printf 'postfix:x:${postfixId}:\\npostdrop:x:${postdropId}:\\n' >> "$1/group"
for name in passwd group; do mount --bind "$1/$name" "/etc/$name"; done
printf %s "$4" | saslpasswd2 -p -c -f "$1/sasldb2" -u mail.plant.example "$3"
cd "$1/queue"
mkdir active bounce corrupt defer deferred flush hold incoming maildrop pid private public saved trace
chown ${postfixId} "$1/sasldb2" "$1/data" "$1/mail" *
chown root pid
exec /usr/lib/postfix/sbin/master -c "$1" -d
`;

const sasl = "pwcheck_method: auxprop\nauxprop_plugin: sasldb\nmech_list: PLAIN LOGIN\n";

function parameters(directory: string): string {
  return `
compatibility_level = 3.6
queue_directory = ${directory}/queue
data_directory = ${directory}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
shlib_directory = /usr/lib/postfix
mail_owner = postfix
setgid_group = postdrop
maillog_file = ${directory}/log
maillog_file_prefixes = /
myhostname = mail.plant.example
mydestination =
mynetworks =
alias_maps =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
message_size_limit = ${mostMailBytes}
virtual_mailbox_limit = 0
virtual_mailbox_domains = plant.example
virtual_mailbox_maps = inline:{owner@plant.example=owner/, grey@plant.example=owner/}
virtual_mailbox_base = ${directory}/mail
virtual_uid_maps = static:${postfixId}
virtual_gid_maps = static:${postfixId}
smtpd_tls_chain_files = ${directory}/chain.pem
smtpd_tls_security_level = encrypt
smtpd_tls_auth_only = yes
smtpd_recipient_restrictions = check_recipient_access texthash:${directory}/grey
cyrus_sasl_config_path = ${directory}/sasl
smtpd_sasl_local_domain = mail.plant.example
`;
}

/** A process of the submission service serves one client, so that it reads the list of grey recipients again. */
function services(ports: Ports): string {
  const signedIn =
    "-o smtpd_sasl_auth_enable=yes -o smtpd_relay_restrictions=permit_sasl_authenticated,reject";
  const names = "reject_invalid_helo_hostname,reject_non_fqdn_helo_hostname,reject_unknown_helo_hostname";
  const strict = `-o smtpd_helo_required=yes -o smtpd_helo_restrictions=${names} -o smtpd_relay_restrictions=reject_unauth_destination`;
  return `
127.0.0.1:${ports.submission} inet n - n - - smtpd -o max_use=1 ${signedIn}
127.0.0.1:${ports.submissions} inet n - n - - smtpd -o smtpd_tls_wrappermode=yes ${signedIn}
127.0.0.1:${ports.strict} inet n - n - - smtpd ${strict}
postlog unix-dgram n - n - 1 postlogd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
tlsmgr unix - - n 1000 1 tlsmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
anvil unix - - n - 1 anvil
virtual unix - n n - - virtual
`;
}
