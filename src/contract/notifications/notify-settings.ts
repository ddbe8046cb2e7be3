import { byAdmin, group, strictObject } from "../shapes.ts";
import { seen } from "../text/visible-text.ts";
import { chatServiceNames } from "./chat-services.ts";

const mostReceivers = 8;

export const receiverName = {
  type: "string",
  pattern: "^[a-z0-9][a-z0-9-]{0,31}$",
  "x-expected": "1 to 32 of a–z, 0–9 and hyphen, with a letter or figure first",
  description: "of a receiver in notify.receivers",
} as const;

/** One address without a display name; RFC 5321 §4.5.3.1.3 bounds a path to 256 octets with its angle brackets. */
const mailAddress = {
  type: "string",
  maxLength: 254,
  pattern: "^[A-Za-z0-9.!#$%&'*+/=?^_{|}~-]{1,64}@[A-Za-z0-9-]{1,63}(\\.[A-Za-z0-9-]{1,63})*$",
  "x-expected": "a mail address such as duty@example.net",
} as const;

/** Members by kind are judged by `receiverErrors` (system/settings/receiver-rules.ts), which can name the one that is missing. */
const receiver = strictObject(
  {
    name: receiverName,
    kind: { type: "string", enum: ["webhook", "mail", ...chatServiceNames] },
    takes: { type: "string", enum: ["all", "grave"], description: "grave: only what cannot wait" },
    url: {
      type: "string",
      maxLength: 512,
      pattern: "^https?://[^\\s/?#@]+([/?][^\\s#]*)?$",
      "x-expected": "an address such as https://alerts.example/steward, without user name, password and #",
      "x-secret": "address",
    },
    server: {
      type: "string",
      maxLength: 253,
      pattern: "^([0-9a-fA-F:.]{2,45}|(?!-)[A-Za-z0-9-]{1,63}(\\.(?!-)[A-Za-z0-9-]{1,63})*)$",
      "x-expected": "a host name or an address, without a port",
      description: "of mail: the SMTP server",
    },
    port: { type: "integer", minimum: 1, maximum: 65_535, description: "of that server" },
    security: {
      type: "string",
      enum: ["starttls", "tls"],
      description: "starttls: usually port 587; tls: 465",
    },
    username: {
      type: "string",
      pattern: seen,
      "x-expected": "a user name that can be seen",
      minLength: 1,
      maxLength: 254,
      description: "absent: no password is needed",
      // Some services take one token as user name and as password.
      "x-secret": "whole",
    },
    from: mailAddress,
    to: { type: "array", items: mailAddress, minItems: 1, maxItems: 8, uniqueItems: true },
  },
  ["url", "server", "port", "security", "username", "from", "to"],
);

/** Settings of the messages that leave the device by themselves. Secrets are not among them. */
export const notify = {
  ...group,
  ...strictObject({
    receivers: byAdmin(
      "Receivers",
      "webhooks and mailboxes that get a message when the device needs attention",
      { type: "array", items: receiver, maxItems: mostReceivers, default: [], "x-redacted": true },
    ),
  }),
} as const;
