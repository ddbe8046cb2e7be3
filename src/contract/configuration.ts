import { duration } from "./durations.ts";
import { settingsChange } from "./schemas/settings-forms.ts";
import { pageList, scopeList, sha256, sourceList } from "./schemas/tokens.ts";
import {
  nullableTimestamp,
  partialObject,
  passwordHash,
  role,
  strictObject,
  timestamp,
  username,
} from "./shapes.ts";
import { displayName } from "./text/visible-text.ts";

/** The treatment of members of a list that the file does not name. */
const notNamed = {
  type: "string",
  enum: ["keep", "remove"],
  description: "what happens to those that the file does not name; keep if absent",
} as const;

const configuredUser = strictObject(
  {
    name: { ...username, description: "which user; made where there is none of this name" },
    role: { ...role, description: "needed for a new user" },
    display_name: displayName,
    enabled: { type: "boolean", description: "a new user is enabled if it is absent" },
    password_hash: {
      ...passwordHash,
      description:
        "an argon2id hash in PHC form, as `steward hash-password` prints it; needed for a new user",
    },
    second_factor: strictObject({
      sealed: {
        type: "string",
        maxLength: 2000,
        description: "a TOTP secret as `steward seal` prints it, for this device and this user alone",
      },
    }),
    update_password: {
      type: "string",
      enum: ["always", "on_create"],
      description:
        "on_create: the hash counts for a new user alone, and a password that they have chosen since stays; always if absent",
    },
  },
  ["role", "display_name", "enabled", "password_hash", "second_factor", "update_password"],
);

const configuredToken = strictObject(
  {
    // The token cannot be made of it.
    token_hash: { ...sha256, description: "SHA-256 of the token in hex; it says which token this is" },
    name: { ...displayName, minLength: 1, description: "a name that says what the token is for" },
    user: { ...username, description: "the owner; the token can do no more than that user" },
    scopes: scopeList,
    expires_in: { ...duration, description: "of a new token, from now on: 1h to 366d; 90d if absent" },
    expires_at: {
      ...timestamp,
      pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}([.][0-9]{1,3})?Z$",
      description: "its end, instead of `expires_in`: RFC 3339 in UTC",
    },
    no_expiry: { type: "boolean", description: "true: it has no end; for scopes that only read" },
    sources: { ...sourceList, description: "addresses and CIDR ranges that it counts from; any if absent" },
    is_fleet: {
      type: "boolean",
      description:
        "a fleet's token: it also writes settings of administrators (`system:write`) and users (`users:write`); it needs `sources`, and an administrator as its owner",
    },
    pages: pageList,
  },
  ["expires_in", "expires_at", "no_expiry", "sources", "is_fleet", "pages"],
);

/** The client of updates judges what is in it. */
const updateRoot = {
  type: "object",
  required: ["signatures", "signed"],
  properties: { signatures: { type: "array", items: { type: "object" } }, signed: { type: "object" } },
} as const;

/** More rotations than a publisher has in a device's life; each costs signatures on the agent's one thread. */
const mostRoots = 32;

const changeSubjects = ["user", "token", "settings", "update_root"] as const;
const changeActions = ["created", "changed", "removed"] as const;
const nameDescription = "of the user, or of a token as USER/NAME; the others have none";

export const mostEntries = 1_000;

/** The document of `steward apply`: absent members stay as they are. */
export const configuration = strictObject(
  {
    $schema: { type: "string", maxLength: 256, description: "for editors; it has no effect" },
    version: { type: "integer", const: 1, description: "of the form of this file" },
    users: { type: "array", maxItems: mostEntries, items: configuredUser },
    users_not_named: notNamed,
    tokens: { type: "array", maxItems: mostEntries, items: configuredToken },
    tokens_not_named: notNamed,
    settings: settingsChange,
    update_root: {
      anyOf: [updateRoot, { type: "array", minItems: 1, maxItems: mostRoots, items: updateRoot }],
      description:
        "the root of trust of updates (TUF root metadata), or a chain of them, oldest first; the last one is installed",
      "x-expected":
        "the publisher's root (N.root.json), which has signatures and signed, or a list of them, oldest first",
    },
  },
  ["$schema", "users", "users_not_named", "tokens", "tokens_not_named", "settings", "update_root"],
);

export const configurationQuery = partialObject({
  check: { type: "boolean", description: "say what would change, and change nothing" },
});

export const configurationDigest = strictObject({
  digest: { ...sha256, description: "of all four" },
  users: { ...sha256, description: "of the users that are kept here" },
  tokens: sha256,
  settings: sha256,
  update_root: {
    oneOf: [{ type: "null" }, sha256],
    description: "fingerprint of the installed root of trust of updates",
  },
  applied_at: { ...nullableTimestamp, description: "when that file was first applied" },
  drift: {
    type: ["boolean", "null"],
    description: "true: the device is not what the file says that was applied last; null: there was none",
  },
});

export const configurationDifferences = strictObject({
  differs: { type: "boolean", description: "false: the device is as the document says" },
  differences: {
    type: "array",
    items: strictObject({
      subject: { type: "string", enum: changeSubjects },
      name: { type: "string", description: nameDescription },
      action: { type: "string", enum: changeActions, description: "what `steward apply` would do" },
      members: { type: "array", items: { type: "string" } },
    }),
  },
});

/** The names of these shapes in the OpenAPI document. */
export const configurationShapes = () =>
  ({
    Configuration: configuration,
    ConfiguredUser: configuredUser,
    ConfiguredToken: configuredToken,
    UpdateRoot: updateRoot,
    ConfigurationDigest: configurationDigest,
    ConfigurationDifferences: configurationDifferences,
  }) as const;

export const configurationExamples = {
  Configuration: { version: 1, settings: { device: { location: "hall 2" } } },
};

export const exportQuery = partialObject({
  without_secrets: {
    type: "boolean",
    description: "no password hashes, second factors, tokens and secrets of settings",
  },
  seal_to: {
    type: "string",
    pattern: "^age1[0-9a-z]{58}$",
    "x-expected": "a key as `steward seal-key` prints it",
    description: "the key that second factors are sealed to; this device's if absent",
  },
});

/** A device as a document of `steward apply`. */
export const exportedConfiguration = strictObject({
  configuration,
  left_out: {
    type: "array",
    description: "parts that no document can have, or that this device would refuse in one",
    items: strictObject({
      subject: { type: "string", enum: ["user", "token", "update_root"] },
      name: { type: "string", description: "of the user, or of a token as USER/NAME" },
      detail: { type: "string" },
    }),
  },
});

export const sealKey = strictObject({
  public_key: { type: "string", description: "for `steward seal --to`" },
});

const text = { type: ["string", "null"] } as const;

export const configurationResult = strictObject({
  changed: { type: "boolean", description: "false: the device was as the file says" },
  check: { type: "boolean", description: "true: nothing was changed, this is what would be" },
  awaits_update_root: {
    ...text,
    description:
      "fingerprint of the root of trust that root has to put beside the host file first, and then ask again; null: nothing is left to do",
  },
  changes: {
    type: "array",
    items: strictObject({
      subject: { type: "string", enum: changeSubjects },
      name: { type: "string", description: nameDescription },
      action: { type: "string", enum: changeActions },
      members: {
        type: "array",
        items: strictObject(
          {
            member: { type: "string" },
            before: { ...text, description: "null: there was none, or it is a secret" },
            after: { ...text, description: "null: there is none, or it is a secret" },
            is_secret: { type: "boolean", const: true },
          },
          ["is_secret"],
        ),
      },
    }),
  },
});
