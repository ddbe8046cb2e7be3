import { partialObject, strictObject } from "../shapes.ts";
import { flag, path, seenText } from "./members.ts";
import { ownSurroundings } from "./surroundings.ts";

/** Text of the provider's that is sent to it, or shown. */
const text = seenText(128);

/** Judged as an address by the rules of the host file: no pattern knows all that an address may be. */
const secureOrigin = {
  type: "string",
  "x-expected": "an https origin such as https://edge-7.example.net:8443, named in full",
} as const;

const groups = {
  type: "array",
  items: { type: "string", minLength: 1, maxLength: 256 },
  maxItems: 64,
  default: [],
} as const;

export const oidc = strictObject(
  {
    issuer: {
      type: "string",
      description: "The OpenID provider that users can sign in at, as its discovery document calls it",
      "x-expected": "an https address such as https://id.example.com/realms/plant",
      examples: ["https://id.example.com/realms/plant"],
    },
    client_id: { ...text, description: "The name of this device there", examples: ["edge-7"] },
    client_secret_file: {
      ...path,
      description:
        "File with the secret of this device there, `root:steward` 0640; the systemd credential `steward.oidc` comes first. Without both: a public client, which PKCE protects",
      examples: ["/etc/steward/oidc-secret"],
    },
    origins: {
      type: "array",
      items: secureOrigin,
      minItems: 1,
      maxItems: 16,
      description:
        "Origins of this device that the provider may send browsers back to, to the path `/oidc`. The provider must know the same",
      examples: [["https://edge-7.example.net:8443"]],
    },
    roles: {
      ...partialObject({ admin: groups, operator: groups, readonly: groups }),
      description:
        "Which groups give which role: `admin`, `operator`, `readonly`. Users who are in none of them are refused",
      examples: [{ admin: ["plant-admins"], operator: ["plant-operators"] }],
    },
    group_claim: {
      ...text,
      default: "groups",
      description: "The claim that has a user's groups, with dots for one in another. Default: `groups`",
      examples: ["realm_access.roles"],
    },
    name_claim: {
      ...text,
      default: "preferred_username",
      description: "The claim that the name of a new account is made of. Default: `preferred_username`",
      examples: ["email"],
    },
    scopes: {
      type: "array",
      // RFC 6749 §3.3.
      items: {
        type: "string",
        pattern: "^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,64}$",
        "x-expected": "a scope of up to 64 characters, without blanks",
      },
      maxItems: 16,
      description:
        "Scopes that are asked for. Default: `openid`, `profile`, and `groups` where the provider's discovery document names it",
      examples: [["openid", "profile"]],
    },
    name: {
      ...text,
      default: "single sign-on",
      description: "The provider's name on the button of the console. Default: `single sign-on`",
      examples: ["Example Works"],
    },
    ...ownSurroundings,
    endpoint_origins: {
      type: "array",
      items: secureOrigin,
      maxItems: 16,
      default: [],
      description: "Origins besides the issuer's own that its endpoints may have",
      examples: [["https://keys.example.com"]],
    },
    allow_local_servers: flag(
      false,
      "true: the provider may be at a loopback or link-local address. Default: false",
    ),
  },
  [
    "client_secret_file",
    "group_claim",
    "name_claim",
    "scopes",
    "name",
    "ca_file",
    "proxy",
    "client_certificate_file",
    "endpoint_origins",
    "allow_local_servers",
  ],
);
