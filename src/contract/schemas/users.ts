import {
  nullableTimestamp,
  partialObject,
  password,
  role,
  strictObject,
  timestamp,
  userId,
  username,
} from "../shapes.ts";
import { displayName } from "../text/visible-text.ts";
import { listOf, pageOf } from "./lists.ts";

const userOrigin = { type: "string", enum: ["local", "provider", "former_provider"] } as const;

export const user = strictObject(
  {
    id: userId,
    username,
    display_name: displayName,
    role,
    origin: {
      ...userOrigin,
      description:
        "`provider`: made at the first sign-in at the host file's OpenID provider, which has password, second factor, name and groups; `former_provider`: of one that the host file does not name",
    },
    issuer: { type: "string" },
    enabled: { type: "boolean" },
    must_change_password: { type: "boolean" },
    two_factor: strictObject(
      {
        enabled: { type: "boolean" },
        enrolled_at: nullableTimestamp,
        recovery_codes_remaining: { type: "integer" },
        sealing_key: {
          type: "string",
          const: "missing",
          description:
            "present only when true: the secret was sealed with a key that this device does not have, so codes cannot be checked; recovery codes work",
        },
      },
      ["sealing_key"],
    ),
    locked: {
      description: "null: not locked",
      oneOf: [
        { type: "null" },
        strictObject({ password: { type: "boolean" }, totp: { type: "boolean" }, until: timestamp }),
      ],
    },
    tokens: {
      type: "integer",
      description: "API tokens of the user that have not expired; ending the sessions does not affect them",
    },
    last_login_at: nullableTimestamp,
    created_at: timestamp,
    updated_at: timestamp,
  },
  ["issuer"],
);

/** A user, and the one-use password that was made for it, if one was: it is shown this once. */
export const userWithInitialPassword = {
  ...user,
  properties: { ...user.properties, initial_password: { type: "string" } },
} as const;

/** For operations that let a user in again: a token that an intruder made with the account ends with them. */
export const keepTokens = {
  type: "boolean",
  default: false,
  description:
    "leave the user's API tokens valid; they are refused while the user has to choose a password or to enrol",
} as const;

export const tokensEnded = {
  type: "integer",
  description: "unexpired API tokens of the user that were deleted; 0 with `keep_tokens`",
} as const;

export const resetUser = {
  ...userWithInitialPassword,
  required: [...user.required, "tokens_ended"],
  properties: { ...userWithInitialPassword.properties, tokens_ended: tokensEnded },
} as const;

export const rescueUser = partialObject({ keep_tokens: keepTokens });

export const rescuedUser = {
  ...resetUser,
  required: [...resetUser.required, "initial_password"],
  properties: {
    ...resetUser.properties,
    held_in_memory: {
      type: "boolean",
      const: true,
      description:
        "present only when the disk cannot be written: the change is in memory until it can be saved, and is lost if the agent stops before that",
    },
  },
} as const;

export const createUser = strictObject(
  {
    username,
    password: {
      ...password,
      description: "absent: a one-use initial password is generated and returned once",
    },
    role,
    display_name: displayName,
    enabled: { type: "boolean", default: true },
  },
  ["password", "display_name", "enabled"],
);

export const updateUser = partialObject({
  display_name: displayName,
  role,
  enabled: { type: "boolean" },
  must_change_password: {
    type: "boolean",
    const: true,
    description: "the password works for one more sign-in, at which the user chooses another one",
  },
});

export const resetPassword = partialObject({
  password: { ...password, description: "absent: a one-use initial password is generated and returned once" },
  keep_tokens: keepTokens,
});

export const userSortKeys = [
  "username",
  "-username",
  "created_at",
  "-created_at",
  "last_login_at",
  "-last_login_at",
] as const;

export const listUsersQuery = partialObject({
  role,
  origin: userOrigin,
  enabled: { type: "boolean" },
  locked: { type: "boolean" },
  two_factor: { type: "boolean", description: "with a second factor, or without" },
  signed_in: { type: "boolean", description: "false: never signed in" },
  q: { type: "string", minLength: 1, maxLength: 64, description: "part of the user name or display name" },
  sort: { type: "string", enum: userSortKeys, default: "username" },
  ...pageOf(50),
});

const pages = listOf(user, "in the order of `sort`");

const count = { type: "integer", minimum: 0 } as const;

const userCounts = strictObject({
  admin: count,
  operator: count,
  readonly: count,
  active: { ...count, description: "enabled and not locked" },
  locked: count,
  disabled: count,
  former_provider: count,
  without_two_factor: { ...count, description: "enabled, and without a second factor" },
  never_signed_in: count,
});

export const userList = {
  ...pages,
  required: [...pages.required, "counts"],
  properties: { ...pages.properties, counts: userCounts },
} as const;

/** The names of these shapes in the OpenAPI document. */
export const userShapes = () =>
  ({
    UserId: userId,
    Username: username,
    User: user,
    UserTwoFactor: user.properties.two_factor,
    UserLock: user.properties.locked.oneOf[1],
    UserList: userList,
    UserCounts: userList.properties.counts,
    NewUser: createUser,
    CreatedUser: userWithInitialPassword,
    UserChange: updateUser,
    PasswordResetRequest: resetPassword,
    ResetUser: resetUser,
    RescueRequest: rescueUser,
    RescuedUser: rescuedUser,
  }) as const;

export const userExamples = {
  NewUser: { username: "bob", role: "operator", display_name: "Bob" },
  UserChange: { display_name: "Bob B." },
  PasswordResetRequest: { password: "six kettles below a lamp" },
  RescueRequest: { keep_tokens: true },
};
