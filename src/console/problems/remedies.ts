import { errorCodes } from "../../contract/error-codes.ts";

export const places = {
  home: "/",
  users: "/users",
  account: "/account",
  clock: "/system",
  host: "/system",
  clockSettings: "/system/settings#clock",
  timeSettings: "/system/settings#time",
  securitySettings: "/system/settings#security",
  logs: "/system/logs",
  updates: "/updates",
} as const;

/** Commands that only root can run, on the device itself. */
export const commands = {
  setupToken: "steward setup-token",
  doctor: "steward doctor",
  rollBack: "steward update rollback binary --as-root",
  showTrust: "steward update trust show",
} as const;

/**
 * - `entry`: what was typed is to be changed, and the form that shows the problem has the button for it.
 * - `retry`: the same once more.
 * - `reload`: the page is older than what it shows.
 */
export type Remedy = "entry" | "retry" | "reload" | "signIn" | keyof typeof places | keyof typeof commands;

export function remedyFor(code: string): Remedy {
  const known: Readonly<Record<string, { readonly remedy: Remedy }>> = errorCodes;
  // A newer agent may have codes that this page does not know.
  return (Object.hasOwn(known, code) && known[code]?.remedy) || "retry";
}
