import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Decrypter, Encrypter } from "age-encryption";
import { messageOf } from "../contract/errors.ts";
import type { AgeComplaint, AgeOrder } from "../device/backup/age.ts";
import { end, fail } from "../terminal/ending.ts";

/**
 * Encrypts or decrypts standard input by age (https://age-encryption.org/v1) to standard output. The first line of the
 * input is the order, as JSON, so that no secret is among the arguments, which every process sees. It is a process of its
 * own: scrypt takes 64 MiB and a second of its thread (docs/design/backup.md, rules 3 and 4). Exit status 1 with a
 * complaint, as JSON in the last line of standard error.
 */

/** log2 of scrypt's N: 64 MiB and about a second. */
const workFactor = 16;

/** With more, a file that a stranger has made would take the memory of the whole unit. 128 MiB. */
const mostWorkFactor = 17;

/** Bytes of an order: as many recipients as the contract allows. */
const mostOrderBytes = 65_536;

/** Bytes in which a file shows its kind. */
const headBytes = 512;

/** Bytes of a header, and its stanzas: one a recipient, of whom a backup has 16 at most. Each is tried with each key. */
const mostHeaderBytes = 65_536;
const mostStanzas = 32;

const openedKinds = ["X25519", "mlkem768x25519"];

class Complaint extends Error {
  readonly code: AgeComplaint["code"];

  constructor(code: AgeComplaint["code"], message: string) {
    super(message);
    this.code = code;
  }
}

async function main(): Promise<number> {
  try {
    const pieces: AsyncIterator<Buffer> = process.stdin[Symbol.asyncIterator]();
    const { head, rest } = await upTo(pieces, (bytes) => bytes.includes(10), mostOrderBytes);
    const lineEnd = head.indexOf(10);
    if (lineEnd < 0) throw new Complaint("bad_order", "the first line is no order");
    const order = JSON.parse(head.toString("utf8", 0, lineEnd)) as AgeOrder;
    const source = following(head.subarray(lineEnd + 1), rest);
    const made = order.mode === "seal" ? await sealed(order, source) : await opened(order, source);
    await pipeline(Readable.fromWeb(made), process.stdout);
    return 0;
  } catch (error) {
    const code = error instanceof Complaint ? error.code : "failed";
    process.stderr.write(`${JSON.stringify({ code, detail: messageOf(error) } satisfies AgeComplaint)}\n`);
    return 1;
  }
}

type Source = AsyncGenerator<Uint8Array>;

async function sealed(order: Extract<AgeOrder, { mode: "seal" }>, source: Source) {
  const encrypter = new Encrypter();
  if ("passphrase" in order) {
    encrypter.setPassphrase(order.passphrase);
    encrypter.setScryptWorkFactor(workFactor);
  } else
    for (const recipient of order.recipients)
      add(recipient, "recipient", (one) => encrypter.addRecipient(one));
  return encrypter.encrypt(ReadableStream.from(source));
}

async function opened(order: Extract<AgeOrder, { mode: "open" }>, source: Source) {
  const decrypter = new Decrypter();
  if ("passphrase" in order) for (const one of formsOf(order.passphrase)) decrypter.addPassphrase(one);
  else
    for (const key of order.identity.trim().split(/\s+/))
      add(key, "identity", (one) => decrypter.addIdentity(one));
  const begun = await upTo(source, (bytes) => bytes.length >= headBytes, headBytes);
  const whole = following(begun.head, begun.rest);
  const isArmoured = printable(begun.head).trimStart().startsWith(armourBegin);
  const { head, rest } = await upTo(
    isArmoured ? withoutArmour(whole) : whole,
    (bytes) => bytes.length >= headBytes && bytes.includes(headerEnd),
    mostHeaderBytes,
  );
  const header = head.toString("latin1", 0, head.indexOf(headerEnd) + 1 || head.length);
  refuseForeign(header, order);
  try {
    const plain = await decrypter.decrypt(ReadableStream.from(following(head, rest)));
    return ReadableStream.from(damagesNamed(plain));
  } catch (error) {
    // The library's own words, which its documentation names.
    const isKey = messageOf(error).includes("no identity matched");
    throw isKey
      ? new Complaint("wrong_key", keyWords(order, header))
      : new Complaint("damaged", messageOf(error));
  }
}

/** The passphrase as it was typed, and as another keyboard or editor would have written the same characters. */
function formsOf(passphrase: string): Set<string> {
  return new Set([passphrase, passphrase.normalize("NFC"), passphrase.normalize("NFD")]);
}

const headerEnd = "\n--- ";
const armourBegin = "-----BEGIN AGE ENCRYPTED FILE-----";

/** Its ASCII characters, also where an editor has written UTF-16, a byte order mark or other line ends. */
function printable(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString("latin1")
    .replace(/[^\n -~]/g, "");
}

/** The bytes of a file of `age -a`. A damaged character shows in them: age authenticates each piece. */
async function* withoutArmour(source: Source): Source {
  let [text, digits] = ["", ""];
  for await (const piece of source) {
    text += printable(piece).replaceAll(" ", "");
    const lines = text.split("\n");
    text = lines.pop() ?? "";
    if (text.length > mostHeaderBytes) throw new Complaint("damaged", "a line of it is too long");
    const end = lines.findIndex((line) => line.startsWith("-----END"));
    const own = lines.slice(0, end < 0 ? lines.length : end).filter((line) => !line.startsWith("-"));
    digits += own.join("");
    // Four are three bytes, wherever the lines end.
    const whole = end < 0 ? digits.length - (digits.length % 4) : digits.length;
    yield Buffer.from(digits.slice(0, whole), "base64");
    if (end >= 0) return;
    digits = digits.slice(whole);
  }
}

/** Throws for what is no age file, for one of the other kind of key, and for one whose key would cost too much. */
function refuseForeign(head: string, order: Extract<AgeOrder, { mode: "open" }>): void {
  if (head.slice(257, 262) === "ustar")
    throw new Complaint("not_age", "it is a tar; encrypt it with `age -r age1… -o NEW.age FILE`");
  if (!head.startsWith("age-encryption.org/v1\n")) throw new Complaint("not_age", "it does not begin as one");
  const [, factor] = /^-> scrypt \S+ (\d+)$/m.exec(head) ?? [];
  if ("passphrase" in order && factor === undefined)
    throw new Complaint(
      "wrong_key",
      "it is encrypted to recipients, and opens with the identity of one of them",
    );
  if ("identity" in order && factor !== undefined)
    throw new Complaint("wrong_key", "it is encrypted to a passphrase, and opens with that");
  if (Number(factor) > mostWorkFactor)
    throw new Complaint(
      "too_costly",
      `its passphrase takes scrypt with 2^${factor}, more than 2^${mostWorkFactor}`,
    );
  if (head.length >= mostHeaderBytes || (head.match(/^-> /gm) ?? []).length > mostStanzas)
    throw new Complaint(
      "too_costly",
      `its header has more than ${mostHeaderBytes / 1_024} KiB or ${mostStanzas} recipients`,
    );
}

function keyWords(order: Extract<AgeOrder, { mode: "open" }>, header: string): string {
  if ("passphrase" in order) return "the passphrase is another one";
  const kinds = new Set(Array.from(header.matchAll(/^-> ([!-~]{1,40})/gm), ([, kind = ""]) => kind));
  if (openedKinds.some((kind) => kinds.has(kind))) return "it is encrypted to other recipients";
  return `it is encrypted to keys that only age opens (${[...kinds].join(", ")}): \`age -d -i KEY FILE | age -r age1… -o NEW.age\` makes a file for another key`;
}

/** Once the key is right, a failure is one of the bytes: each piece is authenticated, and the last one is marked. */
async function* damagesNamed(plain: AsyncIterable<Uint8Array>): Source {
  try {
    yield* plain;
  } catch (error) {
    throw new Complaint("damaged", messageOf(error));
  }
}

function add(key: string, what: string, use: (key: string) => void): void {
  try {
    use(key);
  } catch {
    // Not its words: they could repeat a secret.
    throw new Complaint("bad_key", `the ${what} is not one of age's`);
  }
}

/** The beginning of a stream, up to the piece with which it is enough or to `most` bytes; and the rest. */
async function upTo(
  pieces: AsyncIterator<Uint8Array>,
  isEnough: (bytes: Buffer) => boolean,
  most: number,
): Promise<{ readonly head: Buffer; readonly rest: AsyncIterator<Uint8Array> }> {
  let head: Buffer = Buffer.alloc(0);
  while (!isEnough(head) && head.length < most) {
    const { value, done } = await pieces.next();
    if (done) break;
    head = Buffer.concat([head, value]);
  }
  return { head, rest: pieces };
}

async function* following(head: Uint8Array, rest: AsyncIterator<Uint8Array>): Source {
  if (head.length > 0) yield head;
  for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
}

main().then(end, fail);
