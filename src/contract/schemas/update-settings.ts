import { duration } from "../durations.ts";
import { byAdmin, byOperator, group, strictObject } from "../shapes.ts";

const clockTime = {
  type: "string",
  pattern: "^([01][0-9]|2[0-3]):[0-5][0-9]$",
  "x-expected": "a time of day from 00:00 to 23:59",
} as const;

const window = strictObject({
  days: {
    type: "array",
    items: { type: "string", enum: ["mon", "tue", "wed", "thu", "fri", "sat", "sun"] },
    minItems: 1,
    maxItems: 7,
    uniqueItems: true,
  },
  from: clockTime,
  to: { ...clockTime, description: "earlier than `from`: on the next day" },
});

const ota = {
  ...group,
  ...strictObject({
    enabled: byAdmin(
      "Scheduled updates",
      "check for updates regularly; off: checks and updates on request still work",
      { type: "boolean", default: false },
    ),
    server: byAdmin(
      "Update server",
      "the publisher's repository: an https:// address without user name and password",
      {
        type: "string",
        maxLength: 512,
        pattern: "^$|^(https?://[^\\s/@?#]+|file://)(/[^\\s?#]*)?$",
        "x-expected":
          "an address such as https://updates.example/steward, with http or https in lower case, without blanks, user name, password, ? and #",
        default: "",
        "x-secret": "address",
      },
    ),
    channel: byAdmin("Channel", "the publisher's channel, such as stable or beta", {
      type: "string",
      pattern: "^[a-z0-9][a-z0-9._-]{0,31}$",
      "x-expected": "1 to 32 of a–z, 0–9, dot, underscore and hyphen, with a letter or figure first",
      default: "stable",
    }),
    check_interval: byOperator(
      "Time between checks",
      "5m to 30d; each check comes up to a tenth earlier or later, so that devices do not all ask at once",
      { ...duration, default: "6h" },
    ),
    auto_update_rules: byAdmin(
      "Apply new rules automatically",
      "rules that are not healthy are undone automatically",
      { type: "boolean", default: true },
    ),
    auto_update_binary: byAdmin(
      "Apply a new service automatically",
      "a new service can do anything on this device, so it stays off until a root of trust is installed, its fingerprint is confirmed and the server has proved itself",
      { type: "boolean", default: false },
    ),
    verify_signature: byAdmin("Signatures", "must stay true: nothing runs that is not signed", {
      type: "boolean",
      default: true,
    }),
    report: byAdmin(
      "Tell the publisher the outcome",
      "each check tells the update server the product, the versions and their outcome, and a number that differs for each release; off: nothing",
      { type: "boolean", default: false },
    ),
  }),
} as const;

/** The settings of updates; `verify_signature` is there to be seen, and must stay true. */
export const update = {
  ...group,
  ...strictObject({
    ota,
    windows: byOperator(
      "Update windows",
      "when updates may be applied, in the device's time zone; empty: at any time",
      { type: "array", items: window, maxItems: 16, default: [] },
    ),
  }),
} as const;
