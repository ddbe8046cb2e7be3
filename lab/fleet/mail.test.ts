/** Mail of the outbox to Debian's Postfix: sign-in, both kinds of TLS, greetings, greylisting and refusals. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { createMail, type MailOptions } from "../../src/outbox/mail.ts";
import { scratchDirectory } from "../basics/scratch.ts";
import { until } from "../basics/until.ts";
import { createAuthority } from "../host/certificates.ts";
import { mailUser, type readMail } from "../host/mail-server.ts";
import { deviceId, messageOf, noticeOf } from "../host/messages.ts";
import { mostMailBytes, startPostfix } from "./postfix-server.ts";
import { rowsOf } from "./programs.ts";

const authority = createAuthority(scratchDirectory());

function mailTo(port: number, changes: Partial<MailOptions> = {}) {
  const mail = createMail({
    ...{ server: "127.0.0.1", port, security: "starttls", ...mailUser, hostName: () => "edge-7" },
    ...{ from: "steward@plant.example", to: ["owner@plant.example"], wall: Date.now, uptime: () => 0 },
    connections: createServerConnections({ allowLocalServers: true, caFile: authority.path }),
    ...changes,
  });
  return (seq: number, text = "3 % are free.") =>
    mail.deliver(messageOf([noticeOf(seq, { text })]), new AbortController().signal).then(JSON.stringify);
}

const anonymous = { username: null, password: null };
const idsIn = ({ mails }: { mails: () => ReturnType<typeof readMail>[] }) =>
  mails()
    .map(({ headers }) => headers["message-id"])
    .toSorted();
const ids = (...seqs: number[]) => seqs.map((seq) => `<${deviceId}-${seq}-${seq}@plant.example>`);

describe("Debian's Postfix", { timeout: 120_000 }, () => {
  it("delivers mail over STARTTLS and TLS, puts it off, and refuses it, each in words", async (test) => {
    const postfix = await startPostfix(test, authority.certify("127.0.0.1"), mailUser);
    const began = performance.now();
    assert.match(await mailTo(postfix.submission)(1), /"taken","answer":"250 2\.0\.0 Ok: queued as/);
    rowsOf("mail")("the first mail, with its sign-in", `${(performance.now() - began).toFixed(0)} ms`);
    assert.match(await mailTo(postfix.submissions, { security: "tls" })(2), /"taken"/);
    await until("both are in the mailbox", () => postfix.mails().length === 2);
    assert.deepEqual(idsIn(postfix), ids(1, 2));
    assert.match(postfix.log(), /sasl_method=PLAIN, sasl_username=boiler@/);

    const wrong = mailTo(postfix.submission, { password: "wrong horse" });
    assert.match(await wrong(3), /did not accept the user name and the password: “535 5\.7\.8 Error: auth/);
    assert.match(await mailTo(postfix.strict)(3), /offers no sign-in with .*: “503 5\.5\.1 Error: authen/);
    const unsigned = mailTo(postfix.submission, anonymous);
    assert.match(
      await unsigned(3),
      /refused the recipients: “554 5\.7\.1 .*wants a user name and a password/,
    );
    const gone = mailTo(postfix.submission, { to: ["gone@plant.example"] });
    assert.match(await gone(3), /refused the recipients: “550 5\.1\.1 <gone@plant\.example>/);
    const elsewhere = mailTo(postfix.strict, { ...anonymous, to: ["owner@other.example"] });
    assert.match(await elsewhere(3), /refused the recipients: “554 5\.7\.1 .*Relay access denied”/);
    const long = await mailTo(postfix.submission)(3, "40 °C. ".repeat(mostMailBytes / 4));
    assert.match(long, /"refused".*can never take this mail: “552 5\.3\.4 /);
  });

  it("accepts the device's greeting where it checks names, but no name that it does not find", async (test) => {
    const postfix = await startPostfix(test, authority.certify("127.0.0.1"), mailUser);
    assert.match(await mailTo(postfix.strict, anonymous)(1), /"taken"/);
    const named = mailTo(postfix.strict, { ...anonymous, hostName: () => "edge-7.plant.invalid.example" });
    assert.match(await named(2), /“450 4\.7\.1 <edge-7\S*>: Helo command rejected: Host not found”/);
  });

  it("has a mail for the recipient that it puts off as soon as it takes it, and for the other once", async (test) => {
    const postfix = await startPostfix(test, authority.certify("127.0.0.1"), mailUser);
    const to = ["owner@plant.example", "grey@plant.example"];
    const both = mailTo(postfix.submission, { to });
    postfix.greylist(true);
    assert.match(await both(1), /"retry".*puts it off for grey@plant\.example: “450 4\.7\.1 .*Greylisted”/);
    assert.match(await both(1), /"retry".*puts it off for grey@plant\.example/);
    postfix.greylist(false);
    assert.match(await both(1), /"taken"/);
    await until("the mails are in the mailbox", () => postfix.mails().length === 2);
    const found = postfix.mails().map(({ headers }) => [headers["message-id"], headers["x-original-to"]]);
    assert.deepEqual(
      found,
      to.map((address) => [...ids(1), address]),
    );
  });
});
