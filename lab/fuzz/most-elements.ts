import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createSecureContext } from "node:tls";
import nacl from "tweetnacl";
import { createProviderRequest } from "../../src/accounts/oidc/provider-requests.ts";
import { parseChronyc } from "../../src/clock/daemons/chronyc-report.ts";
import { readKeyExchange } from "../../src/clock/nts/key-exchange-messages.ts";
import { protect } from "../../src/clock/nts/protected-packets.ts";
import { readManifest } from "../../src/device/backup/manifest.ts";
import { readOfferedServers } from "../../src/host/linux/clock/offered-servers.ts";
import { createJournalReader } from "../../src/host/linux/systemd/journal-reader.ts";
import type { Transfer, Transfers } from "../../src/host/ports.ts";
import { bodyLimitsOf, readJson } from "../../src/http/read-json.ts";
import { createInputCheck } from "../../src/http/validate.ts";
import { beginningOf } from "../../src/outbox/failures.ts";
import { type Mail, sendMail } from "../../src/outbox/smtp.ts";
import { readLogLine } from "../../src/publishing/rollout/access-log.ts";
import { readTar, type TarRules } from "../../src/store/archives/read-tar.ts";
import { caps } from "../../src/tuf/caps.ts";
import { verifyEd25519 } from "../../src/tuf/ed25519.ts";
import type { MetadataFiles } from "../../src/tuf/metadata-files.ts";
import { readMetadata } from "../../src/tuf/read-metadata.ts";
import { loadTrusted, type Session } from "../../src/tuf/session.ts";
import { createTargetSearch } from "../../src/tuf/target-search.ts";
import { tarEnd, tarEntry } from "../archives/tar-writer.ts";
import { createAuthority } from "../host/certificates.ts";
import { useTweetnacl } from "../publisher/quick-ed25519.ts";
import { filesInMemory, refreshing } from "../publisher/refreshing.ts";
import { SignedRepository } from "../publisher/signed-repository.ts";

/** A reader of foreign bytes, with the most elements that its bounds in bytes let in. */
export interface Reading {
  /** As docs/design/threat-model.md names the reader. */
  readonly reader: string;
  readonly input: string;
  readonly prepare: Prepare;
}

/** Makes the input, and gives the reading of it. */
type Prepare = () => (() => Promise<unknown>) | Promise<() => Promise<unknown>>;
type Inputs = Readonly<Record<string, Prepare>>;

const repeated = (text: string, bytes: number): string => text.repeat(Math.floor(bytes / text.length));
const numbered = (count: number, text: (number: string) => string): string =>
  Array.from({ length: count }, (_, index) => text(index.toString(36).padStart(4, "0"))).join(",");
/** In no order, so that a reader who sorts them has all of the work. */
const members = (count: number): string =>
  `{${Array.from({ length: count }, (_, index) => `"${((index * 7_919) % count).toString(36).padStart(5, "0")}":0`).join(",")}}`;

/** Pieces as a socket gives them, one a turn. */
async function* arriving(bytes: Uint8Array, pieceBytes = 65_536): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await setImmediate();
  }
}

const common = { spec_version: "1.0.34", version: 2, expires: "2030-01-01T00:00:00Z" };
const signers = { name: "a", keyids: [], keys: {}, threshold: 1 };

/** A file of metadata whose member `name` is this text. */
function metadata(type: string, name: string, text: string): Buffer {
  const others = type === "targets" ? { targets: {} } : { meta: {} };
  const signed = { _type: type, ...common, ...others, [name]: "@" };
  return Buffer.from(JSON.stringify({ signatures: [], signed }).replace('"@"', () => text));
}

function unsigned(type: "snapshot" | "targets", name: string, text: () => string): Prepare {
  return () => {
    const bytes = metadata(type, name, text());
    const files = { read: async () => bytes } as unknown as MetadataFiles;
    return () => loadTrusted({ files, caps, verifiers: {} } as unknown as Session, type, signers);
  };
}

/** An object with this text as each of 49,000 members. */
const objectOf = (text: string, names = ""): string =>
  `{${numbered(49_000, (number) => `"${names}${number}":${text}`)}}`;
const manyTargets = (): string => objectOf('{"hashes":{"sha256":"0"},"length":1}', "stable/rules/");

const updates: Inputs = {
  "a next root of 512 kB of members": () => {
    const lab = new SignedRepository();
    lab.publishRoot();
    const next = JSON.parse(String(lab.metadata("2.root"))) as { signed: object };
    const text = JSON.stringify({ ...next, signatures: [], signed: { ...next.signed, x: "@" } });
    const hostile = Buffer.from(text.replace('"@"', members(49_000)));
    lab.files.set("metadata/2.root.json", hostile.subarray(0, caps.rootBytes));
    return () => refreshing(lab, filesInMemory({ root: lab.metadata("1.root") }));
  },
  "a snapshot of 49,000 roles": unsigned("snapshot", "meta", () => objectOf('{"version":1}')),
  "190,000 members with a common beginning": unsigned("targets", "x", () =>
    members(190_000).replaceAll('"0', '"aaaaaaaaaaaaaaaa0'),
  ),
  "49,000 targets": unsigned("targets", "targets", manyTargets),
  "a text of 4.8 MB of escapes, in 30 objects": unsigned("targets", "x", () =>
    [...new Array(29).fill('{"a":'), `"${'\\"'.repeat(2_400_000)}"`, "}".repeat(29)].join(""),
  ),
  "a signature over 5 MB": () => {
    const message = Buffer.alloc(caps.targetsBytes, 1);
    const { publicKey, secretKey } = nacl.sign.keyPair();
    const signature = nacl.sign.detached(message.subarray(1), secretKey);
    return async () => {
      const undo = useTweetnacl();
      verifyEd25519(publicKey, message, signature);
      undo();
    };
  },
  "a listing of 49,000 targets": () => {
    const { signed } = readMetadata("targets", metadata("targets", "targets", manyTargets()), caps);
    const search = createTargetSearch(caps, async () => signed, { ...signers, name: "targets" });
    return () => search.list("stable", "rules");
  },
};

const rules: TarRules = {
  ...{ bytes: 8 * 1024 ** 3, files: 10_000, isSafePath: () => true, compressed: "is compressed" },
  unusable: (fault) => Object.assign(new Error(fault), { code: fault }) as never,
};
const files = (count: number): Buffer[] =>
  Array.from({ length: count }, (_, index) => tarEntry({ name: `f${index}` }));
const extended = (type: "g" | "x", content: string): Buffer =>
  tarEntry({ name: "x", type, content: Buffer.from(content) });
const records = (count: number): string => numbered(count, (number) => `8 ${number}=\n`).replaceAll(",", "");
const small = (count: number): Buffer[] => Array.from({ length: count }, () => extended("x", "6 a=b\n"));

function tar(make: () => readonly Buffer[]): Prepare {
  return () => {
    const bytes = Buffer.concat([...make(), tarEnd]);
    return async () => {
      for await (const { content } of readTar(arriving(bytes), rules)) for await (const _ of content);
    };
  };
}

const archives: Inputs = {
  "10,000 files": tar(() => files(9_990)),
  "an extended header of 4 MiB behind 9,900 files": tar(() => [
    ...files(9_900),
    extended("x", repeated("6 a=b\n", 4 * 1024 ** 2)),
    ...files(1),
  ]),
  "a global header of 100,000 records, and 30 that copy them": tar(() => [
    ...[extended("g", records(100_000)), ...small(30), ...files(1)],
  ]),
  "a global header of 4,000 records, and 30 that copy them": tar(() => [
    ...[extended("g", records(4_000)), ...small(30), ...files(1)],
  ]),
  "a manifest of 1 MiB of empty files": () => {
    const list = repeated("{},", 1_000_000).slice(0, -1);
    const bytes = Buffer.from(`{"format":"steward-backup","version":1,"files":[${list}]}`);
    return async () => readManifest(bytes);
  },
};

type Caller = Parameters<typeof bodyLimitsOf>[0];

function body(actor: Caller, id: Parameters<typeof createInputCheck>[0], text: () => string): Prepare {
  return () => {
    const bytes = Buffer.from(text());
    const headers = { "content-type": "application/json" };
    const [check, query] = [createInputCheck(id), new URLSearchParams()];
    // The build has compiled the validator.
    check({ params: {}, query, body: {} });
    return async () => {
      const request = Object.assign(Readable.from(arriving(bytes)), { headers });
      const value = await readJson(request as never, bodyLimitsOf(actor));
      check({ params: {}, query, body: value }).soundBody();
    };
  };
}

const bodies: Inputs = {
  "4 KiB of members, of a stranger": body("anonymous", "login", () => members(350)),
  "64 KiB of members": body("user", "updateSettings", () => members(6_000)),
  "64 KiB of time servers that differ": body(
    "user",
    "updateSettings",
    () => `{"time":{"servers":[${numbered(5_000, (number) => `{"a":"${number}"}`)}]}}`,
  ),
  "512 KiB of users, of root": body(
    "local-root",
    "applyConfiguration",
    () => `{"users":[${repeated("{},", 524_000).slice(0, -1)}]}`,
  ),
};

const protectedPackets: Prepare = () => {
  const keys = { c2s: new Uint8Array(32).fill(1), s2c: new Uint8Array(32).fill(2) };
  const random = (bytes: number): Uint8Array => new Uint8Array(bytes);
  const options = { ...keys, cookie: new Uint8Array(100), placeholders: 0, random };
  const { open } = protect(new Uint8Array(48), options);
  const reply = new Uint8Array(65_504);
  const view = new DataView(reply.buffer);
  view.setUint32(48, 0x01040024);
  for (let at = 84; at < reply.length - 60; at += 4) view.setUint32(at, 0x22220004);
  view.setUint32(reply.length - 60, 0x0404003c);
  view.setUint32(reply.length - 56, 0x00100010);
  return async () => {
    for (let count = 0; count < 32; count += 1) open(reply);
  };
};

function journal(text: () => string): Prepare {
  return () => {
    const line = `{"__CURSOR":"c","__REALTIME_TIMESTAMP":"1",${text()}}\n`;
    const reader = createJournalReader({
      source: async (_question, receive) => {
        for await (const piece of arriving(Buffer.from(line))) receive(String(piece));
        return { kind: "whole" };
      },
    });
    return () => reader.read({ units: [], order: "newest-first" }, () => true);
  };
}

const logs: Inputs = {
  "an entry of 1 MiB of lists": journal(() => `"MESSAGE":[${repeated("[],", 1_040_000)}[]]`),
  "an entry of 250 KiB of lists": journal(() => `"MESSAGE":[${repeated("[],", 256_000)}[]]`),
  "an entry of 250 KiB of bytes": journal(() => `"MESSAGE":[${repeated("1,", 256_000)}1]`),
  "an entry of lists 120,000 deep": journal(() => `"MESSAGE":${"[".repeat(120_000)}${"]".repeat(120_000)}`),
};

/** A server that a mail is sent to. It is a process of its own, whose work does not count here. */
function mailServer(script: string, security: "starttls" | "tls"): Prepare {
  return async () => {
    const authority = createAuthority(process.argv[2] ?? "");
    const secrets = security === "tls" ? authority.certify("127.0.0.1") : {};
    const env = { ...process.env, SECRETS: JSON.stringify(secrets) };
    const server = spawn(process.execPath, ["-e", `${mailServerBegin}${script}`], {
      ...{ env, stdio: ["ignore", "pipe", "inherit"] },
    });
    process.once("exit", () => server.kill());
    const [port] = await once(server.stdout, "data");
    const authorities = createSecureContext({ ca: readFileSync(authority.path) });
    const login = { username: "boiler", password: "right horse", hostName: () => "edge-7" };
    return async () => {
      const signal = AbortSignal.timeout(2_000);
      const socket = connect({ port: Number(port), host: "127.0.0.1" });
      await once(socket, "connect");
      signal.addEventListener("abort", () => socket.destroy());
      const session = { ...login, socket, server: "127.0.0.1", security, authorities };
      await sendMail(session, mail, signal).finally(() => socket.destroy());
    };
  };
}

const owner = "owner@plant.example";
const mail: Mail = {
  from: { name: "Boiler house", address: "steward@plant.example" },
  ...{ to: [owner], recipients: [owner], subject: "To do", text: "3 % are free." },
  ...{ messageId: "1@plant.example", references: [], date: new Date(0), isImportant: false },
};

const mailServerBegin = `
const secrets = JSON.parse(process.env.SECRETS);
const { createServer } = require(secrets.key ? "node:tls" : "node:net");
const server = createServer(secrets, (socket) => answer(socket.on("error", () => undefined)));
server.listen(0, "127.0.0.1", () => console.log(server.address().port));
`;

const mails: Inputs = {
  "empty lines without end": mailServer(
    `const piece = Buffer.alloc(65_536, 10);
    const answer = (socket) => {
      const more = () => { while (!socket.destroyed && socket.write(piece)); };
      socket.on("drain", more);
      more();
    };`,
    "starttls",
  ),
  "60,000 blanks as a challenge": mailServer(
    `const answer = (socket) => {
      socket.write("220 x\\r\\n");
      socket.setEncoding("latin1").on("data", (text) => {
        if (/^EHLO/.test(text)) socket.write("250-x\\r\\n250 AUTH CRAM-MD5\\r\\n");
        else socket.write("334" + " ".repeat(60_000) + "\\r\\r\\n");
      });
    };`,
    "tls",
  ),
};

const answer = (text: string, pieceBytes: number): Transfer => ({
  ...{ where: "updates.example", status: 200, headers: {}, close: () => undefined },
  body: arriving(Buffer.from(text), pieceBytes),
});

const provider: Prepare = () => {
  const text = members(26_000);
  const transfers: Transfers = { open: async () => answer(text, 16_384) };
  const ask = createProviderRequest(transfers, ["https://a.example"]);
  return async () => (await ask("https://a.example/x", { headers: {} })).json();
};

const readers: Readonly<Record<string, Inputs>> = {
  "metadata of updates (TUF)": updates,
  "archives (tar)": archives,
  "JSON bodies": bodies,
  "NTP packets": { "32 with NTS, of 64 KiB of fields, in one turn": protectedPackets },
  "key exchanges (NTS)": {
    "16 KiB of empty records": () => {
      const bytes = new Uint8Array(16_384).map((_, index) => (index % 4 === 1 ? 9 : 0));
      return async () => readKeyExchange(bytes);
    },
  },
  "chronyd, timesyncd and other programs of the host": {
    "256 KiB of sources of chronyc": () => {
      const text = repeated("^,?,1,0,0,0,1,0,0,0\n", 262_000);
      return async () => parseChronyc(text);
    },
  },
  "servers of DHCP, through systemd-networkd": {
    "64 KiB of names": () => async () => readOfferedServers(join(process.argv[2] ?? "", "netif-state")),
  },
  journal: logs,
  "mail servers (SMTP)": mails,
  "answers of a sign-in provider": { "256 KiB of members": provider },
  "answers of receivers (webhook, OTLP)": {
    "in pieces of a byte": () => () => beginningOf(answer("a".repeat(10_000), 1), 4_096),
  },
  "access logs of a publisher's server": {
    "16 KiB of brackets": () => async () => readLogLine("[".repeat(16_000)),
  },
};

export const readings: readonly Reading[] = Object.entries(readers).flatMap(([reader, inputs]) =>
  Object.entries(inputs).map(([input, prepare]) => ({ reader, input, prepare })),
);
