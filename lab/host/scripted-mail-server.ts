import { type AddressInfo, createServer, type Socket } from "node:net";
import { createSecureContext, TLSSocket } from "node:tls";
import type { ServerCertificate } from "./certificates.ts";

const usual = {
  greeting: "220 mail.example ESMTP",
  EHLO: "250 mail.example",
  STARTTLS: "220 2.0.0 go on",
  AUTH: "235 2.7.0 ok",
  "MAIL FROM": "250 2.1.0 ok",
  "RCPT TO": "250 2.1.5 ok",
  DATA: "354 go on",
  end: "250 2.0.0 Ok: queued as 4F2A",
} as const;

/** The steps of a session that a script can change: the reply to a command, before the first one, and after a mail. */
export type MailStep = keyof typeof usual;

/** A reply; `close`: the connection ends there without one. A function is called instead, and there is no reply. */
export type MailScript = Partial<Record<MailStep, string | (() => void)>>;

export interface ScriptedMailServer {
  readonly port: number;
  /** The lines that clients have sent outside of mails. */
  readonly lines: string[];
  readonly stop: () => Promise<void>;
}

/** A mail server on loopback that offers STARTTLS and takes all mail, but for the steps of its script. */
export async function startScriptedMail(
  { cert, key }: ServerCertificate,
  script: MailScript,
  extensions: readonly string[] = [],
): Promise<ScriptedMailServer> {
  const secureContext = createSecureContext({ cert, key });
  const lines: string[] = [];
  const open = new Set<Socket>();

  function talk(socket: Socket, offers: readonly string[]): void {
    let isMail = false;
    let isRefused = false;
    /** True for the usual reply. */
    const say = (step: MailStep, otherwise: string = usual[step]): boolean => {
      const reply = script[step] ?? otherwise;
      if (typeof reply === "function") reply();
      else if (reply === "close") socket.end();
      else socket.write(`${reply}\r\n`);
      return reply === usual[step];
    };
    const hear = (line: string): void => {
      const step = (Object.keys(usual) as MailStep[]).find((name) => line.startsWith(name));
      if (step === undefined) return void socket.end("221 2.0.0 bye\r\n");
      if (step === "EHLO")
        return void say(
          step,
          `250-mail.example\r\n${offers.map((one) => `250-${one}`).join("\r\n")}\r\n250 HELP`,
        );
      // RFC 2920 §3.1: the commands behind a refused one come before its reply is read.
      const isAnswered = say(step, isRefused ? "503 5.5.1 bad sequence" : usual[step]);
      isRefused ||= !isAnswered && step !== "DATA";
      isMail = isAnswered && step === "DATA";
      if (step !== "STARTTLS" || !isAnswered) return;
      socket.removeAllListeners("data");
      talk(new TLSSocket(socket, { isServer: true, secureContext }), [...extensions, "AUTH PLAIN"]);
    };
    const listen = (line: string): void => {
      if (!isMail) {
        lines.push(line);
        hear(line);
      } else if (line === ".") {
        isMail = false;
        say("end");
      }
    };
    open.add(socket.on("error", () => undefined));
    let left = "";
    socket.on("data", (piece) => {
      const pieces = (left + piece.toString("latin1")).split("\r\n");
      left = pieces.pop() ?? "";
      pieces.forEach(listen);
    });
    if (!(socket instanceof TLSSocket)) say("greeting");
  }

  const server = createServer((socket) => talk(socket, [...extensions, "STARTTLS"]));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    ...{ port: (server.address() as AddressInfo).port, lines },
    stop: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
