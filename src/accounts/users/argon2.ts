import crypto from "node:crypto";

/** The cost of argon2id: memory in KiB, passes over it, lanes. */
export interface Argon2Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** argon2id with its results as PHC strings, `$argon2id$v=19$m=…,t=…,p=…$SALT$HASH`. */
export interface Argon2 {
  hash(password: string, cost: Argon2Cost): Promise<string>;
  verify(phc: string, password: string): Promise<boolean>;
}

/** Node 24.7 and later has it, if its OpenSSL does. */
type NodeArgon2 = (
  algorithm: "argon2id",
  parameters: Argon2Cost & { message: string; nonce: Buffer; tagLength: number },
  done: (error: Error | null, tag: Buffer) => void,
) => void;

export const saltBytes = 16;
export const tagBytes = 32;

/** Uses Node's own argon2 if it has one, so that the native module need not be loaded. Both return the same bytes. */
export function openArgon2(): Promise<Argon2> | Argon2 {
  return nodeArgon2() ?? moduleArgon2();
}

/** Uses the native module. It is loaded at the first use, so that an idle agent does not hold it. */
export async function moduleArgon2(): Promise<Argon2> {
  const { hash, verify } = await import("@node-rs/argon2");
  return {
    hash: (password, { memory, passes, parallelism }) =>
      hash(password, { memoryCost: memory, timeCost: passes, parallelism, outputLen: tagBytes }),
    verify,
  };
}

/** Uses Node itself; null if it has no argon2. */
export function nodeArgon2(): Argon2 | null {
  const { argon2 } = crypto as { argon2?: NodeArgon2 };
  if (!argon2) return null;
  const tag = (message: string, nonce: Buffer, cost: Argon2Cost, tagLength: number) =>
    new Promise<Buffer>((resolve, reject) => {
      argon2("argon2id", { message, nonce, ...cost, tagLength }, (error, made) =>
        error ? reject(error) : resolve(made),
      );
    });
  return {
    hash: async (password, cost) => {
      const salt = crypto.randomBytes(saltBytes);
      return toPhc(cost, salt, await tag(password, salt, cost, tagBytes));
    },
    verify: async (phc, password) => {
      const { cost, salt, expected } = readPhc(phc);
      return crypto.timingSafeEqual(await tag(password, salt, cost, expected.length), expected);
    },
  };
}

export function toPhc({ memory, passes, parallelism }: Argon2Cost, salt: Buffer, tag: Buffer): string {
  const [saltText, tagText] = [salt, tag].map((bytes) => bytes.toString("base64").replaceAll("=", ""));
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${saltText}$${tagText}`;
}

function readPhc(phc: string): { cost: Argon2Cost; salt: Buffer; expected: Buffer } {
  const found = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/.exec(phc);
  if (!found) throw new Error("The stored password hash is not an argon2id hash of version 19.");
  const [, memory, passes, parallelism, salt = "", tag = ""] = found;
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    expected: Buffer.from(tag, "base64"),
  };
}
