import { mkdtempSync, readFileSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postfixPrograms, startPostfix } from "../../fleet/postfix-server.ts";
import { createAuthority } from "../../host/certificates.ts";
import { mailUser, type readMail } from "../../host/mail-server.ts";

const address = "10.0.2.2";
const submission = 587;

export type Mail = ReturnType<typeof readMail>;

let mails: () => readonly Mail[] = () => [];

/** Debian's Postfix in the LAN of the machine, where it takes mail to `owner@plant.example` from who signs in. */
export const mailbox = {
  /** Starts it; returns the certificate of its authority. */
  "a mailbox": async (): Promise<string> => {
    // A file there is gone with the scenario.
    process.env.TMPDIR = "/run";
    const directory = mkdtempSync(join(tmpdir(), "steward-mailbox-"));
    const authority = createAuthority(directory);
    // It ends with the scenario, as all that was started in it.
    const postfix = await startPostfix({ after: () => undefined }, authority.certify(address), mailUser);
    const server = createServer((socket) => {
      const onward = connect(postfix.submission, "127.0.0.1");
      for (const one of [socket, onward])
        one.on("error", () => [socket, onward].map((each) => each.destroy()));
      socket.pipe(onward).pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(submission, address, resolve));
    mails = postfix.mails;
    return readFileSync(authority.path, "utf8");
  },
  /** In the order of their delivery. */
  mails: (): readonly Mail[] => mails(),
};

/** Fetches its programs, while there is a network. */
export const fetchesPostfix = async (): Promise<void> => void postfixPrograms();

/** The receiver in the device's settings. */
export const receiver = {
  ...{ name: "owner", kind: "mail", server: address, port: submission, security: "starttls" },
  ...{ username: mailUser.username, from: "pump-7@plant.example", to: ["owner@plant.example"], takes: "all" },
};
