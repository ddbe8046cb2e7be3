import { createHash, createPublicKey, randomBytes, sign } from "node:crypto";
import { pemOfNewKey } from "./new-key.ts";

/** The address of a page, as the browser puts it into the client data. */
export interface PasskeyPage {
  readonly origin: string;
  /** WebAuthn's `rp.id`. */
  readonly host: string;
}

type Encodable = number | string | Buffer | Map<number | string, Encodable>;

/** CBOR (RFC 8949) of what an authenticator writes: lengths below 65,536. */
function cbor(value: Encodable): Buffer {
  if (typeof value === "number") return value < 0 ? head(1, -1 - value) : head(0, value);
  if (typeof value === "string")
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  const members = [...value].flatMap(([key, member]) => [cbor(key), cbor(member)]);
  return Buffer.concat([head(5, value.size), ...members]);
}

function head(major: number, count: number): Buffer {
  const type = major << 5;
  if (count < 24) return Buffer.from([type | count]);
  return count < 256 ? Buffer.from([type | 24, count]) : Buffer.from([type | 25, count >> 8, count & 255]);
}

const sha256 = (bytes: Buffer | string): Buffer => createHash("sha256").update(bytes).digest();

/**
 * An authenticator and its browser in software (WebAuthn §6): ES256, no attestation, a person who is always present, and a
 * counter that goes up by one with each use.
 */
export function softwarePasskey({ hasCounter = true } = {}) {
  const privateKey = pemOfNewKey("P-256");
  const id = randomBytes(32);
  let count = 0;
  const { x = "", y = "" } = createPublicKey(privateKey).export({ format: "jwk" });
  const coordinates = [x, y].map((text) => Buffer.from(text, "base64url"));
  const key = new Map<number, Encodable>([
    ...([
      [1, 2],
      [3, -7],
      [-1, 1],
    ] as const),
    ...([
      [-2, coordinates[0] ?? id],
      [-3, coordinates[1] ?? id],
    ] as const),
  ]);
  const dataOf = (host: string, flags: number): Buffer => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(hasCounter ? count : 0);
    return Buffer.concat([sha256(host), Buffer.from([flags]), counter]);
  };
  const clientData = (type: string, challenge: string, origin: string, more: object): Buffer =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...more }));
  return {
    id: id.toString("base64url"),
    /** Sets the counter, as a copy of the authenticator would have it. */
    rewind: (to: number): void => {
      count = to;
    },
    make: (challenge: string, { origin, host }: PasskeyPage, more: object = {}) => {
      const attested = Buffer.concat([Buffer.alloc(16), Buffer.from([0, id.length]), id, cbor(key)]);
      const authData = Buffer.concat([dataOf(host, 0x41), attested]);
      const attestation = cbor(
        new Map<string, Encodable>([
          ["fmt", "none"],
          ["attStmt", new Map()],
          ["authData", authData],
        ]),
      );
      return {
        id: id.toString("base64url"),
        client_data: clientData("webauthn.create", challenge, origin, more).toString("base64url"),
        attestation: attestation.toString("base64url"),
      };
    },
    use: (challenge: string, { origin, host }: PasskeyPage, more: object = {}) => {
      count += 1;
      const data = dataOf(host, 0x01);
      const client = clientData("webauthn.get", challenge, origin, more);
      const signature = sign("sha256", Buffer.concat([data, sha256(client)]), privateKey);
      return {
        id: id.toString("base64url"),
        client_data: client.toString("base64url"),
        authenticator_data: data.toString("base64url"),
        signature: signature.toString("base64url"),
      };
    },
  };
}
