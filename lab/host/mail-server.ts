import { execFileSync } from "node:child_process";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { ServerCertificate } from "./certificates.ts";

/** A mail as it arrived, read by Python's email package. */
export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  /** The user who had signed in; undefined: the mail came without a sign-in. */
  readonly user: string | undefined;
  readonly isEncrypted: boolean;
  /** By their lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

export interface MailServer {
  readonly port: number;
  readonly mails: ReceivedMail[];
  readonly stop: () => Promise<void>;
}

export interface MailUser {
  readonly username: string;
  readonly password: string;
}

export const mailUser: MailUser = { username: "boiler", password: "right horse, battery" };

/**
 * A real SMTP server on loopback (npm's smtp-server), which one user may sign in at. `refusal`: the reply to a
 * recipient; null: it is accepted.
 */
export async function startMailServer(
  certificate: ServerCertificate,
  options: SMTPServerOptions & { refusal?: (recipient: string) => string | null } = {},
): Promise<MailServer> {
  const { refusal = () => null, ...rest } = options;
  const mails: ReceivedMail[] = [];
  const server = new SMTPServer({
    ...{ ...certificate, logger: false, authOptional: true, disableReverseLookup: true },
    onAuth: ({ username, password }, _session, done) => {
      if (username === mailUser.username && password === mailUser.password)
        return done(null, { user: username });
      done(new Error("Invalid username or password"));
    },
    onRcptTo: ({ address }, _session, done) => done(replyError(refusal(address))),
    onData: (stream, session, done) => {
      const pieces: Buffer[] = [];
      stream.on("data", (piece: Buffer) => pieces.push(piece));
      stream.on("end", () => {
        const { envelope, user, secure } = session;
        mails.push({
          from: envelope.mailFrom === false ? "" : envelope.mailFrom.address,
          to: envelope.rcptTo.map(({ address }) => address),
          ...{ user: user || undefined, isEncrypted: secure, ...readMail(Buffer.concat(pieces)) },
        });
        done(null, "Ok: queued as 4F2A");
      });
    },
    ...rest,
  });
  // A client that leaves in the middle of a handshake is no failure of the server's.
  server.on("error", () => undefined);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return { port, mails, stop: () => new Promise((resolve) => server.close(() => resolve())) };
}

function replyError(reply: string | null): Error | null {
  if (reply === null) return null;
  const [code = ""] = reply.split(" ");
  return Object.assign(new Error(reply.slice(code.length + 1)), { responseCode: Number(code) });
}

const reader = `
import email, email.policy, json, sys
mail = email.message_from_binary_file(sys.stdin.buffer, policy=email.policy.default)
print(json.dumps({"headers": {k.lower(): str(v) for k, v in mail.items()}, "text": mail.get_content()}))
`;

/** A mail as Python's email package reads it. */
export function readMail(raw: Buffer): Pick<ReceivedMail, "headers" | "text"> {
  return JSON.parse(execFileSync("python3", ["-c", reader], { input: raw, encoding: "utf8" }));
}

/**
 * Someone between a client and a server, who removes the offer of STARTTLS from the server's replies, and answers the
 * command with `reply`: then the client sends on without encryption, or stops.
 */
export async function stripStartTls(serverPort: number, reply: string) {
  let seen = "";
  const open = new Set<Socket>();
  const attacker = createServer((client) => {
    const server = connect(serverPort, "127.0.0.1");
    for (const socket of [client, server]) {
      open.add(socket);
      socket.on("error", () => undefined);
      socket.once("close", () => [client, server].map((other) => other.destroy()));
    }
    client.on("data", (piece) => {
      seen += piece.toString("latin1");
      if (/^STARTTLS/i.test(piece.toString("latin1"))) client.write(`${reply}\r\n`);
      else server.write(piece);
    });
    server.on("data", (piece) => client.write(piece.toString("latin1").replace("STARTTLS", "XNOTHING")));
  });
  await new Promise<void>((resolve) => attacker.listen(0, "127.0.0.1", resolve));
  return {
    port: (attacker.address() as AddressInfo).port,
    /** All that the client has sent through them, as they could read it. */
    seen: () => seen,
    stop: () =>
      new Promise<void>((resolve) => {
        for (const socket of open) socket.destroy();
        attacker.close(() => resolve());
      }),
  };
}
