import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, it, type TestContext } from "node:test";
import { scratchDirectory } from "../../../lab/basics/scratch.ts";
import { runSteward } from "../../../lab/command-line/run-steward.ts";
import { startAgent } from "../../../lab/command-line/scripted-agent.ts";
import { readAt } from "../../../lab/host/judged-host-file.ts";
import { createPasswords } from "../../../src/accounts/users/passwords.ts";
import { readCredentials } from "../../../src/cli/client/agent-connection.ts";
import type { Places } from "../../../src/cli/client/places.ts";
import { textOfCsv } from "../../../src/console/users/adding/people-from-csv.ts";
import { readInstalledPairs } from "../../../src/host/linux/certificates/installed-pairs.ts";
import { readClientSecret } from "../../../src/host/linux/host-file/client-secret.ts";
import { readRequestHeaders } from "../../../src/host/linux/host-file/request-headers.ts";
import { readInitialSettings } from "../../../src/programs/agent/config.ts";
import { provisionDevice } from "../../../src/programs/agent/provisioning.ts";
import { readText } from "../../../src/publishing/files.ts";
import { readPrivateKey } from "../../../src/publishing/keys/private-keys.ts";
import { readPublicKey } from "../../../src/publishing/keys/public-keys.ts";
import { readSteps } from "../../../src/publishing/wave-plan.ts";
import { openWorkspace } from "../../../src/publishing/workspace.ts";
import { givenLines } from "../../../src/terminal/given-text.ts";
import { createInputLines } from "../../../src/terminal/input-lines.ts";

const own = process.getuid?.();
const password = "correct hörse battery";
const directory = scratchDirectory();
let files = 0;

/** A file of these bytes, which only this user can write and read. */
function fileOf(bytes: Uint8Array, name = "file"): string {
  files += 1;
  const place = join(directory, String(files));
  mkdirSync(place, { mode: 0o700 });
  writeFileSync(join(place, name), bytes, { mode: 0o600 });
  return join(place, name);
}

/** The output of a command; throws the error that ends it. */
async function said(args: readonly string[], stdin?: Uint8Array): Promise<string> {
  const { code, stdout, stderr } = await runSteward(args, stdin && { stdin: Buffer.from(stdin) });
  if (code !== 0) throw new Error(stderr + stdout);
  return stdout;
}

const places = (files: Partial<Places>) =>
  ({ tokenFile: undefined, authorityFile: undefined, ...files }) as Places;
const refuse = (path: string, why: string) => new Error(`${path} ${why}`);

interface Door {
  readonly text: string;
  /** The outcome of these bytes; throws where they are refused. */
  readonly take: (bytes: Uint8Array, test: TestContext) => Promise<unknown> | unknown;
  /** Forms that this door treats in another way than the rest, and why. */
  readonly but?: Readonly<Record<string, "taken" | RegExp>>;
}

const { privateKey: pem, publicKey } = generateKeyPairSync("ed25519", {
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
  publicKeyEncoding: { type: "spki", format: "pem" },
});
/** Comments between certificates may be Latin-1. */
const ofCertificates = { "Latin-1": "taken" } as const;
const json = (value: object) => `${JSON.stringify(value, null, 2)}\n`;
const certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const hostFile = json({ names: ["box.example"], product: "pump" });
const secret = "s3cret of the provider\n";

/** Those that read a file of this text by its path. */
const ofFiles: readonly (readonly [
  ...[door: string, text: string, take: (path: string) => unknown, but?: Door["but"]],
])[] = [
  ["--token-file", "stw_ABCDEF0123456789\n", (tokenFile) => readCredentials(places({ tokenFile }))],
  [
    "--cacert",
    certificate,
    async (authorityFile) =>
      (await readCredentials(places({ authorityFile }))).authority?.trim().replace(/\n.$/, ""),
    ofCertificates,
  ],
  [
    "steward host-file check FILE",
    hostFile,
    async (path) => (await said(["host-file", "check", path, "-o", "json"])).replace(/"file":.*/, ""),
  ],
  // The reader of logs, in C, reads it as well.
  [
    "the host file",
    hostFile,
    (path) => readAt(path, own),
    { "UTF-16LE": /not UTF-8/, "UTF-16BE": /not UTF-8/ },
  ],
  ["a file with keys of age", "# of the safe\nage1example\nage1other\n", (path) => givenLines(path)],
  [
    "a secret that the host file names",
    secret,
    (path) => readClientSecret({ clientSecretFile: path }, { own }),
  ],
  [
    "a file with headers",
    "# of the collector\nauthorization: Bearer abc\nx-scope: box\n",
    (path) => readRequestHeaders(path, { own, refuse }),
  ],
  ["the initial settings", json({ device: { name: "box" } }), readInitialSettings],
  ["notes of a release", "Title\n\nMore.\n", async (path) => (await readText(path)).trim()],
  ["a plan of waves", json([{ percent: 100, after_seconds: 3600 }]), readSteps],
  ["a publisher's private key", pem, async (path) => (await readPrivateKey(path, async () => "")).id],
  ["a publisher's public key", publicKey, async (path) => (await readPublicKey(path)).id],
];

const doors: Readonly<Record<string, Door>> = {
  ...Object.fromEntries(
    ofFiles.map(([door, text, take, but = {}]) => [
      ...[door, { text, take: (bytes: Uint8Array) => take(fileOf(bytes)), but }],
    ]),
  ),
  "a password on standard input": {
    text: `${password}\nnext\n`,
    take: async (bytes) => {
      const hash = (await said(["hash-password", "--password-stdin"], bytes)).trim();
      return createPasswords({ isKnownClient: () => true }).verify(hash, password, null);
    },
    // The first line is read, and a blank behind a password may be a part of it.
    but: { "a trailing blank": "taken", "Latin-1": "taken", "a NUL byte": "taken" },
  },
  "answers on standard input": {
    text: "first\nsecond",
    take: async (bytes) => {
      // As a pipe may hand it over: byte by byte.
      const lines = createInputLines(
        Readable.from(Array.from(bytes, (byte) => Buffer.of(byte))) as NodeJS.ReadStream,
      );
      return [await lines.next(), await lines.next()].map((line) => line?.trimEnd());
    },
  },
  "steward system set --stdin": {
    text: "device.name=box\ntime.min_agreeing=2\n",
    take: async (bytes, test) => {
      const { socketPath, received } = await startAgent(test, {
        "PUT /api/system": { body: {} },
        "GET /api/system": { body: {} },
      });
      await said(["system", "set", "--stdin", "--socket", socketPath], bytes);
      return received.find(({ method }) => method === "PUT")?.body;
    },
  },
  "steward apply -": {
    text: json({ version: 1, users: [{ name: "ana", role: "readonly" }] }),
    take: async (bytes, test) => {
      const answer = { body: { changed: false, changes: [], awaits_update_root: null } };
      const { socketPath, received } = await startAgent(test, { "POST /api/configuration": answer });
      await said(["apply", "-", "--check", "--socket", socketPath], bytes);
      return received.at(-1)?.body;
    },
  },
  "the credential steward.oidc": {
    text: secret,
    take: (bytes) =>
      readClientSecret(
        { clientSecretFile: null },
        { credentialsDirectory: join(fileOf(bytes, "steward.oidc"), "..") },
      ),
  },
  "a certificate for HTTPS": {
    text: certificate,
    take: async (bytes) => {
      const place = join(fileOf(bytes, "50-ca.crt"), "..");
      writeFileSync(join(place, "50-ca.key"), bytes, { mode: 0o600 });
      const [pair] = await readInstalledPairs(place, { own });
      if (pair === undefined || "refused" in pair) throw new Error(pair?.refused);
      return [pair.certificate, pair.key].map((one) => one.trim().replace(/\n.$/, ""));
    },
    but: ofCertificates,
  },
  "the credential steward.admin": {
    text: json({ username: "ana", password_hash: "$argon2id$v=19$m=8,t=1,p=1$c29tZXNhbHQ$aGFzaGhhc2hoYXNo" }),
    take: provisioned,
  },
  "repository.json": {
    text: json({ steward_repository: 1, product: "pump" }),
    take: async (bytes) => {
      const path = fileOf(bytes, "repository.json");
      return (await openWorkspace(join(path, ".."), { now: () => new Date(0) } as never)).product;
    },
  },
  "a list of people in the console": {
    text: "username;name\r\nana;Anne\r\n",
    take: async (bytes) => textOfCsv(bytes).trim().replace(/\n.$/, ""),
    but: ofCertificates,
  },
};

/** The first administrator that comes of the credential; what is logged of one that cannot be used is thrown. */
async function provisioned(bytes: Uint8Array): Promise<unknown> {
  let made: unknown;
  const faults: unknown[] = [];
  await provisionDevice(
    {
      credentialsDirectory: join(fileOf(bytes, "steward.admin"), ".."),
      runDirectory: directory,
      log: (level, _, facts) => void (level === "error" && faults.push(facts?.detail)),
    },
    {
      accounts: {
        hasAdministrator: () => made !== undefined,
        createFirst: async (...all: unknown[]) => (made = all),
      },
      passwords: { verify: async () => false },
      setupToken: { remove: async () => undefined, withholding: () => null, renew: () => undefined },
      disk: { observe: () => () => undefined },
    } as never,
  );
  if (faults.length > 0) throw new Error(String(faults[0]));
  return made;
}

/** Half of a character in the last text of a JSON form, which only an escape can write. */
const halved = (text: string) => Buffer.from(text.replace(/"(?=[^"]*$)/, '\\ud83d"'));
const utf16 = (text: string): Buffer => Buffer.from(text, "utf16le");
/** Each form, and the words with which it is named; taken where there are none. */
const forms: readonly (readonly [name: string, write: (text: string) => Uint8Array, named?: RegExp])[] = [
  ["a byte order mark", (text) => Buffer.from(`\ufeff${text}`)],
  ["UTF-16LE", (text) => utf16(`\ufeff${text}`)],
  ["UTF-16BE", (text) => utf16(`\ufeff${text}`).swap16()],
  ["CR LF", (text) => Buffer.from(text.replace(/\r?\n/g, "\r\n"))],
  ["CR", (text) => Buffer.from(text.replace(/\r?\n/g, "\r"))],
  ["no line end at its end", (text) => Buffer.from(text.trimEnd())],
  ["a trailing blank", (text) => Buffer.from(`${text.trimEnd()} \n\n`)],
  ["Latin-1", (text) => Buffer.concat([Buffer.from(text), Buffer.of(0xfc)]), /not UTF-8/],
  ["UTF-16 without a mark", utf16, /UTF-16 without a byte order mark/],
  ["a NUL byte", (text) => Buffer.concat([Buffer.from(text), Buffer.of(0)]), /NUL/],
];

const formsOfJson: typeof forms = [
  ["half a character", halved, /line \d+, column \d+ \(.*\): a text has half a character/],
];

function isJson(text: string): boolean {
  return /^[{[].*"/s.test(text) && !text.includes("percent");
}

describe("what a person hands in", () => {
  for (const [door, { text, take, but = {} }] of Object.entries(doors))
    for (const [form, write, usual] of [...forms, ...(isJson(text) ? formsOfJson : [])]) {
      const named = but[form] ?? usual ?? "taken";
      it(`${door}, ${form}: ${named === "taken" ? "is taken" : "is named"}`, async (test) => {
        if (named !== "taken") return assert.rejects(async () => take(write(text), test), named);
        const expected = await take(Buffer.from(text), test);
        assert.ok(expected);
        assert.deepEqual(await take(write(text), test), expected);
      });
    }
});
