/** Names that a reader of a bundle must not learn. */
export interface Private {
  readonly users: readonly string[];
  /** The host may have a new name that this process does not see yet; empty ones count for nothing. */
  readonly hostNames: readonly string[];
}

/** Texts that may be a secret: hashes, tokens, passwords, codes, an address before the @, and long words without meaning. */
const secrets = [
  /\$(?:argon2\w*|scrypt|2[aby]|[156y])\$[^\s"']+/g,
  /\beyJ[\w-]+\.[\w-]+\.[\w-]*/g,
  /\b[0-9a-fA-F]{24,}\b/g,
  /\b[a-z]{3}_[0-9a-f]{8,}\b/g,
  // In groups: one-use passwords and setup tokens for rescue, and recovery codes.
  /\b[0-9a-z]{5}(?:-[0-9a-z]{5}){3,}\b/g,
  /\b[0-9A-Z]{4}(?:-[0-9A-Z]{4}){3,}\b/g,
  // Secrets of authenticators, in base32.
  /\b[A-Z2-7]{26,}\b/g,
  /(?<=:\/\/)[^\s/@"]+(?=@)/g,
  /[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g,
  // Path and query of an address, which may be all that its receiver asks for; not as the settings show them, without.
  /(?<=\bhttps?:\/\/[^\s/?#"'<>]+)[/?](?!…)[^\s"'<>]+/gi,
  // 20 characters or more of base64 or base64url, with small and capital letters and figures among them.
  /(?<![\w/+-])(?=[\w/+-]*\d)(?=[\w/+-]*[A-Z])(?=[\w/+-]*[a-z])[\w+-]{20,}={0,2}/g,
];

/** Literal addresses; those of the device itself say nothing about a person. */
const addresses =
  /\b(?!127\.|0\.0\.0\.0)(?:\d{1,3}\.){3}\d{1,3}\b|(?<![\w:])(?:[0-9a-f]{1,4}:){3,7}(?::?[0-9a-f]{1,4})+\b|(?<![\w:])[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*::(?:[0-9a-f]{1,4}(?::[0-9a-f]{1,4})*)?/gi;

/** Members of log lines, of JSON and of options that name a person, also one who has no account here. */
const namingMembers =
  /(?<=[(,"]\s?)(username|user|actor|owner|display name)([ =:"]+)(?!local-root|agent|anonymous)([^\s",;)}]+)/gi;

/** The same of host names, also of one that the device has had before. */
const hostMembers = /(?<=[(,":]\s?)(host[ -]?name(?: before)?)([ =:"]+)([^\s",;)}]+)/g;

/** An audit line, `user.deleted: ana, by root-admin from 192.0.2.7`: also of a user who is no more. */
const auditLine = /(\b[a-z0-9_]+\.[a-z0-9_]+: )(?:([^\n]*?)(, ))?by (\S+) from /g;

const thisDevice = "this-device";

const roles = ["local-root", "agent", "anonymous"];

/** Replaces what is secret or names a person in texts: one user is `user-1` in all of them, one address `address-1`. */
export function createRedaction({ users, hostNames }: Private): (text: string) => string {
  const numbered = (word: string) => {
    const known = new Map<string, string>();
    return (name: string): string => {
      const present = known.get(name);
      if (present !== undefined) return present;
      const next = `${word}-${known.size + 1}`;
      known.set(name, next);
      return next;
    };
  };
  const userAs = numbered("user");
  const addressAs = numbered("address");
  // The longest first: one name may be a part of another.
  const names = [...users].sort((one, other) => other.length - one.length);
  return (text) => {
    let clean = text;
    for (const secret of secrets) clean = clean.replace(secret, "(hidden)");
    clean = clean.replace(addresses, (address) => addressAs(address.toLowerCase()));
    for (const name of names) clean = clean.replace(wordOf(name), userAs(name));
    const personAs = (name: string) =>
      roles.includes(name) || /^(user-\d+|\(hidden\))/.test(name) ? name : userAs(name);
    clean = clean.replace(auditLine, (_, type: string, subject = "", comma = "", actor: string) => {
      const about = subject === "" ? "" : personAs(subject);
      return `${type}${about}${comma}by ${personAs(actor)} from `;
    });
    clean = clean.replace(
      namingMembers,
      (_, member: string, between: string, name: string) => `${member}${between}${personAs(name)}`,
    );
    clean = clean.replace(hostMembers, `$1$2${thisDevice}`);
    for (const name of hostNames) if (name !== "") clean = clean.replace(wordOf(name), thisDevice);
    return clean;
  };
}

function wordOf(name: string): RegExp {
  const literal = name.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  return new RegExp(`(?<![\\w-])${literal}(?![\\w-])`, "g");
}
