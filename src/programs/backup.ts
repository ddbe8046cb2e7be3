import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { Decrypter, Encrypter } from "age-encryption";
import type { AgeComplaint, AgeOrder } from "../backup/age.ts";
import { messageOf } from "../contract/errors.ts";
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

/** Bytes in which the first recipient of an age file is found. */
const headBytes = 256;

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
  if ("passphrase" in order) decrypter.addPassphrase(order.passphrase);
  else add(order.identity, "identity", (one) => decrypter.addIdentity(one));
  const { head, rest } = await upTo(source, (bytes) => bytes.length >= headBytes, headBytes);
  refuseForeign(head.toString("latin1"), order);
  try {
    const plain = await decrypter.decrypt(ReadableStream.from(following(head, rest)));
    return ReadableStream.from(damagesNamed(plain));
  } catch (error) {
    // The library's own words, which its documentation names.
    const isKey = messageOf(error).includes("no identity matched");
    throw isKey ? new Complaint("wrong_key", keyWords(order)) : new Complaint("damaged", messageOf(error));
  }
}

/** Throws for what is no age file, for one of the other kind of key, and for one whose key would cost too much. */
function refuseForeign(head: string, order: Extract<AgeOrder, { mode: "open" }>): void {
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
}

function keyWords(order: Extract<AgeOrder, { mode: "open" }>): string {
  return "passphrase" in order ? "the passphrase is another one" : "it is encrypted to other recipients";
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
