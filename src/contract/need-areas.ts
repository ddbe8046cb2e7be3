/** The parts of a device, in the order of mending: nothing is saved on a full disk, no agent starts on unreadable state. */
export const areas = [
  "program",
  "disk",
  "host file",
  "state",
  "people",
  "keys",
  "agent",
  "clock",
  "updates",
  "https",
  "device",
  "log",
] as const;

export type Area = (typeof areas)[number];

/** The codes by which GET /api/status lists what needs a person, with the part of the device that each is about. */
export const needAreas = {
  rescue: "state",
  host_file: "host file",
  setup_required: "people",
  no_administrator: "people",
  program: "program",
  root_helper: "agent",
  disk: "disk",
  state_document: "state",
  event_log: "state",
  two_factor_key: "keys",
  credentials: "keys",
  clock: "clock",
  listening: "agent",
  https: "https",
  updates: "updates",
  update_available: "updates",
  update_failed: "updates",
  update_withdrawn: "updates",
  update_trust_unconfirmed: "updates",
  updates_not_set_up: "updates",
  users_locked: "people",
  two_factor_missing: "people",
  second_factor_advised: "people",
  device_unnamed: "device",
  unit: "device",
  tokens_ending: "people",
  support_ending: "device",
  support_ended: "device",
  no_receiver: "device",
  receiver_failing: "device",
  product: "device",
  product_silent: "device",
} as const satisfies Record<string, Area>;

export type NeedCode = keyof typeof needAreas;

/**
 * Steps that the first run leaves for later. The console lists them calmly until they are done; what was done and fails
 * has another code, such as `receiver_failing`.
 */
const setupNeeds = [
  "second_factor_advised",
  "device_unnamed",
  "updates_not_set_up",
  "update_trust_unconfirmed",
  "no_receiver",
] as const satisfies readonly NeedCode[];

export type SetupNeedCode = (typeof setupNeeds)[number];

export function isSetupNeed({ code, level }: { readonly code: string; readonly level?: unknown }): boolean {
  return level === "attention" && setupNeeds.some((one) => one === code);
}

/** Needs that the product reports: its pages deal with them, where they have one. */
export type ProductNeedCode = "product" | "product_silent";

export const needCodes = /* @__PURE__ */ Object.keys(needAreas) as NeedCode[];
