import { duration } from "../durations.ts";
import { reportLevels } from "../product.ts";
import { group, partialObject, role, strictObject } from "../shapes.ts";
import { flag, path, plainHostFile, seenText } from "./members.ts";

/** Judged as an address by the rules of the host file: no pattern knows all that an address may be. */
const origin = {
  type: "string",
  "x-expected": "an https origin such as https://edge-7.example.net:444, or http of a loopback address",
} as const;

function inLanguages(mostCharacters: number) {
  const text = seenText(mostCharacters);
  return { ...partialObject({ en: text, de: text }), required: ["en"] } as const;
}

const pageName = {
  type: "string",
  pattern: "^[a-z][a-z0-9-]{0,31}$",
  "x-expected": "up to 32 of a–z, 0–9 and hyphen, with a letter first",
} as const;

const page = strictObject(
  {
    name: { ...pageName, description: "Its name, in paths and in its cookie", examples: ["pump"] },
    title: {
      ...inLanguages(40),
      description: "Its title in the console, `en` and, if it has one, `de`",
      examples: [{ en: "Pump", de: "Pumpe" }],
    },
    url: {
      ...origin,
      description: "The origin at which people open it: not one of Steward's",
      examples: ["https://edge-7.example.net:444/"],
    },
    role: { ...role, description: "The least role that may open it", examples: ["readonly"] },
    secret_file: {
      ...path,
      description:
        "File with a text of 16 characters or more, `root:steward` 0640, which the page gets as `Steward-Gate`: who has not passed Steward does not know it. It is read at each start and reload. Default: none",
      examples: ["/etc/steward/pump-gate"],
    },
  },
  ["secret_file"],
);

const report = strictObject(
  {
    code: {
      type: "string",
      pattern: "^[a-z][a-z0-9_]{0,39}$",
      "x-expected": "up to 40 of a–z, 0–9 and underscore, with a letter first",
      description: "The code that the product sends",
      examples: ["pressure_low"],
    },
    level: {
      type: "string",
      enum: reportLevels,
      description: "Its level; `failing`: something does not work",
      examples: ["failing"],
    },
    text: {
      ...inLanguages(200),
      description:
        "The sentence for people, `en` and, if it has one, `de`; `{bar}` is a number that is sent with the code",
      examples: [{ en: "The pressure is {bar} bar.", de: "Der Druck ist {bar} bar." }],
    },
    page: {
      ...pageName,
      description: "The page of the product that helps. Default: none",
      examples: ["pump"],
    },
    path: {
      type: "string",
      maxLength: 200,
      // Without a lookahead, which the generator of inputs does not know: the first character is neither slash nor backslash.
      pattern: "^/([!-.0-\\[\\]-~][!-~]*)?$",
      "x-expected": "a path such as /pressure, in ASCII and with one slash at its beginning",
      default: "/",
      description: "The path there. Default: `/`",
      examples: ["/pressure"],
    },
    message: flag(false, "The event is also sent as a notification; a need always is. Default: `false`"),
    ttl: {
      ...duration,
      default: "15m",
      description: "Time within which the product repeats a need, `1m` to `24h`. Default: `15m`",
      "x-expected": "a duration from 1m to 24h, such as 15m",
      examples: ["15m"],
    },
  },
  ["page", "path", "message", "ttl"],
);

const unit = {
  type: "string",
  pattern: "^[A-Za-z0-9:_.@\\\\-]{1,128}\\.(service|scope)$",
  "x-expected": "a systemd unit with its suffix, such as pump.service",
} as const;

/** Pages that a product may have: each is asked about at every request to it. */
export const mostPages = 8;

/** The product that a device exists for. */
export const product = {
  ...group,
  properties: {
    name: {
      type: "string",
      // As in the path of a release.
      pattern: "^[a-z0-9][a-z0-9._-]{0,63}$",
      default: plainHostFile.product.name,
      description: "The product that this device runs, as releases name it. Default: `steward`",
      "x-expected": "a name of up to 64 lower-case letters, digits and ._-",
      examples: ["pump-7"],
    },
    pages: {
      type: "array",
      items: page,
      maxItems: mostPages,
      default: plainHostFile.product.pages,
      description:
        "Pages of the product, at most 8, each with `name`, `title` (`en`, `de`), `url`, the least `role`, and `secret_file`: people open them after they have signed in at Steward",
      examples: [
        [{ name: "pump", title: { en: "Pump" }, url: "https://edge-7.example.net:444/", role: "readonly" }],
      ],
    },
    units: {
      type: "array",
      items: unit,
      maxItems: 8,
      default: plainHostFile.product.units,
      description:
        "Units of the product, at most 8, whose processes may report events and needs. Default: none",
      examples: [["pump.service"]],
    },
    reports: {
      type: "array",
      items: report,
      maxItems: 64,
      default: plainHostFile.product.reports,
      description:
        "Events and needs that the product may report, at most 64, each with `code`, `level` (`notice`, `attention`, `failing`), `text` (`en`, `de`) and, if it has them, `page`, `path`, `message` and `ttl`",
      examples: [
        [
          {
            code: "pressure_low",
            level: "failing",
            text: { en: "The pressure is {bar} bar." },
            page: "pump",
          },
        ],
      ],
    },
    sign_in: {
      ...origin,
      description:
        "The origin at which people open the console, to which its pages send them to sign in. Default: the page's host with the port of `https`, or port 8470 where HTTPS is off",
      examples: ["https://edge-7.example.net"],
    },
    version_file: {
      ...path,
      description:
        "File whose first line is the version of the product, where no release of it is in force. Default: none",
      examples: ["/usr/lib/pump/version"],
    },
  },
} as const;
