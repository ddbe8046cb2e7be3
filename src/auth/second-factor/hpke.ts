import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
  randomBytes,
} from "node:crypto";

/*
 * RFC 9180 (HPKE), base mode, one message: DHKEM(X25519, HKDF-SHA256), HKDF-SHA256, AES-128-GCM. Anyone can seal to a
 * public key. Only the holder of the private key can open, and learns nothing about the sender.
 */

/** Both sides must give the same values. */
export interface Binding {
  /** The purpose of the text. */
  readonly info: Uint8Array;
  /** The record that the text belongs to. */
  readonly associated: Uint8Array;
}

/** §7.1, §7.2, §7.3: the ids of the three algorithms. */
const [kemId, kdfId, aeadId] = [0x0020, 0x0001, 0x0001];
const kemSuite = Buffer.concat([Buffer.from("KEM"), numberOf(kemId)]);
const suite = Buffer.concat([Buffer.from("HPKE"), numberOf(kemId), numberOf(kdfId), numberOf(aeadId)]);

const [privateBytes, publicBytes] = [32, 32];
const [keyBytes, nonceBytes, tagBytes] = [16, 12, 16];
const hashBytes = 32;

/** Returns the encapsulated key, then ciphertext and tag. Throws if the public key is not one. */
export function sealTo(publicKey: Uint8Array, text: Uint8Array, binding: Binding): Buffer {
  const ephemeral = randomBytes(privateBytes);
  const encapsulated = publicKeyOf(ephemeral);
  const shared = diffieHellman({ privateKey: privateFrom(ephemeral), publicKey: publicFrom(publicKey) });
  const { key, nonce } = keysOf(shared, encapsulated, publicKey, binding.info);
  const cipher = createCipheriv("aes-128-gcm", key, nonce, { authTagLength: tagBytes });
  cipher.setAAD(binding.associated);
  return Buffer.concat([encapsulated, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
}

/** Throws if it was sealed to another key or with another binding, or was altered. */
export function openWith(privateKey: Uint8Array, sealed: Uint8Array, binding: Binding): Buffer {
  if (sealed.length < publicBytes + tagBytes) throw new Error("the sealed text is too short");
  const encapsulated = sealed.subarray(0, publicBytes);
  const own = privateFrom(privateKey);
  const shared = diffieHellman({ privateKey: own, publicKey: publicFrom(encapsulated) });
  const { key, nonce } = keysOf(shared, encapsulated, publicKeyOf(privateKey), binding.info);
  const decipher = createDecipheriv("aes-128-gcm", key, nonce, { authTagLength: tagBytes });
  decipher.setAAD(binding.associated);
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(publicBytes, -tagBytes)), decipher.final()]);
}

/** Any 32 bytes are a private key of X25519. */
export function publicKeyOf(privateKey: Uint8Array): Buffer {
  return rawOf(createPublicKey(privateFrom(privateKey)));
}

/** §4.1 (ExtractAndExpand) and §5.1 (KeySchedule) of base mode, for only the first message. */
function keysOf(shared: Buffer, encapsulated: Uint8Array, receiver: Uint8Array, info: Uint8Array) {
  const both = Buffer.concat([encapsulated, receiver]);
  const none = Buffer.alloc(0);
  const prk = extract(kemSuite, none, "eae_prk", shared);
  const secret = expand(kemSuite, prk, "shared_secret", both, hashBytes);
  const base = Buffer.from([0]);
  const context = Buffer.concat([
    base,
    extract(suite, none, "psk_id_hash", none),
    extract(suite, none, "info_hash", info),
  ]);
  const schedule = extract(suite, secret, "secret", none);
  return {
    key: expand(suite, schedule, "key", context, keyBytes),
    nonce: expand(suite, schedule, "base_nonce", context, nonceBytes),
  };
}

/** LabeledExtract of §4. */
function extract(suiteId: Buffer, salt: Uint8Array, label: string, secret: Uint8Array): Buffer {
  return hmac(salt, [version, suiteId, label, secret]);
}

/** LabeledExpand of §4, for no more than one block of the hash. */
function expand(suiteId: Buffer, prk: Buffer, label: string, info: Uint8Array, length: number): Buffer {
  const block = hmac(prk, [numberOf(length), version, suiteId, label, info, Buffer.from([1])]);
  return block.subarray(0, length);
}

const version = "HPKE-v1";

function hmac(key: Uint8Array, parts: readonly (Uint8Array | string)[]): Buffer {
  const made = createHmac("sha256", key);
  for (const part of parts) made.update(part);
  return made.digest();
}

/** I2OSP(number, 2). */
function numberOf(number: number): Buffer {
  return Buffer.from([number >> 8, number & 0xff]);
}

/** The bytes before the 32 bytes of a key in DER, RFC 8410. */
const [privatePrefix, publicPrefix] = ["302e020100300506032b656e04220420", "302a300506032b656e032100"];

function privateFrom(bytes: Uint8Array): KeyObject {
  const key = Buffer.concat([Buffer.from(privatePrefix, "hex"), bytes]);
  return createPrivateKey({ key, format: "der", type: "pkcs8" });
}

function publicFrom(bytes: Uint8Array): KeyObject {
  const key = Buffer.concat([Buffer.from(publicPrefix, "hex"), bytes]);
  return createPublicKey({ key, format: "der", type: "spki" });
}

function rawOf(key: KeyObject): Buffer {
  return key.export({ format: "der", type: "spki" }).subarray(-publicBytes);
}
