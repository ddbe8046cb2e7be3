import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createServerConnections } from "../../src/host/linux/transfers/connections.ts";
import { unreached } from "../../src/outbox/failures.ts";
import { SmtpFailure, smtpOutcome } from "../../src/outbox/smtp-failures.ts";

const causes: readonly (readonly [string, RegExp])[] = [
  [
    "ENOTFOUND",
    /^mail\.example:587 cannot be used: its name cannot be resolved\. Nothing was sent\. Check the address/,
  ],
  ["EHOSTUNREACH", /there is no route to it\. Nothing was sent\. Check the address/],
  [
    "ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION",
    /it speaks no TLS from version 1\.2 on\. Ask who runs it for TLS 1\.2 or 1\.3\. Nothing/,
  ],
  [
    "ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED",
    /it asks this device for a certificate\. Name a certificate for it with network\.client_certificate_file in/,
  ],
  // As Node 20, and as Node 24 and 26 call it.
  ["ERR_SSL_SSLV3_ALERT_HANDSHAKE_FAILURE", /it shares no TLS cipher with this device, or asks/],
  ["ERR_SSL_SSL/TLS_ALERT_HANDSHAKE_FAILURE", /it shares no TLS cipher with this device, or asks/],
  ["ERR_SSL_SSL/TLS_ALERT_BAD_CERTIFICATE", /it does not accept the certificate of this device \(ERR_SSL/],
  ["CERT_HAS_EXPIRED", /is not valid at this time \(CERT_HAS_EXPIRED\)\. Check this device's clock/],
  [
    "SELF_SIGNED_CERT_IN_CHAIN",
    /its authority is not one that this device knows \(SELF_SIGNED_CERT_IN_CHAIN\)\. .* network\.ca_file in/,
  ],
];

const mail = { host: "mail.example", port: 587 };
const { authorities, failure } = createServerConnections({
  ...{ allowLocalServers: false, caFile: "/nowhere/ca.pem" },
});
const failed = (cause: unknown) => failure(mail, cause);

describe("the sentences about a server that was not reached", () => {
  for (const [code, expected] of causes) {
    it(`say what ${code} means, and what to check`, () => {
      const error = Object.assign(new Error("x"), { code });
      assert.match(unreached("mail.example:587", failed(error)), expected);
      const ofNodemailer = Object.assign(new Error("x"), { code: "ESOCKET", originalCode: code });
      assert.match(mailError(ofNodemailer), expected);
    });
  }

  it("name a file of authorities that cannot be used", async () => {
    const error = await authorities().catch((cause: unknown) => cause);
    assert.match(
      unreached("mail.example:587", error),
      /^The file of certificate authorities .* cannot be read \(ENOENT\)\. .* network\.ca_file in the host file\. Nothing was/,
    );
  });

  it("say that a mail server did not answer in time, and which port is for which", () => {
    const late = Object.assign(new Error("x"), { code: "ETIMEDOUT" });
    assert.match(mailError(late), /did not answer in time\. .* Port 465 is for TLS from/);
  });
});

function mailError(cause: Error): string {
  const session = { step: "TLS" as const, greeting: "[192.0.2.7]", reply: undefined, refused: [], cause };
  const delivery = smtpOutcome("mail.example:587", new SmtpFailure(session), failed);
  return "error" in delivery ? delivery.error : "";
}
