import { group, partialObject, role, strictObject } from "../shapes.ts";
import { path, plainHostFile, seenText } from "./members.ts";

/** Judged as an address by the rules of the host file: no pattern knows all that an address may be. */
const origin = {
  type: "string",
  "x-expected": "an https origin such as https://edge-7.example.net:444, or http of a loopback address",
} as const;

const page = strictObject(
  {
    name: {
      type: "string",
      pattern: "^[a-z][a-z0-9-]{0,31}$",
      "x-expected": "up to 32 of a–z, 0–9 and hyphen, with a letter first",
      description: "Its name, in paths and in its cookie",
      examples: ["pump"],
    },
    title: {
      ...partialObject({ en: seenText(40), de: seenText(40) }),
      required: ["en"],
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
