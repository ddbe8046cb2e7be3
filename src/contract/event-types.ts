import { clockEvents } from "./events/clock.ts";
import { deviceEvents } from "./events/device.ts";
import { productEvents } from "./events/product.ts";
import { signInEvents } from "./events/sign-in.ts";
import { tokenEvents } from "./events/tokens.ts";
import { updateEvents } from "./events/updates.ts";
import { userEvents } from "./events/users.ts";

/** The events that the agent records. The build leaves each program the members that it uses (scripts/build/event-rows.ts). */
export const eventTypes = {
  ...signInEvents,
  ...userEvents,
  ...tokenEvents,
  ...clockEvents,
  ...updateEvents,
  ...deviceEvents,
  ...productEvents,
} as const;

export type EventType = keyof typeof eventTypes;

export type EventFact = { [Type in EventType]: keyof (typeof eventTypes)[Type]["details"] }[EventType];

export type ClockEventType = Extract<
  EventType,
  "clock.stepped" | "clock.source_changed" | "clock.contradicted" | "clock.panicked" | "clock.contested"
>;

export type UpdateEventType = Extract<
  EventType,
  | "update.trust_installed"
  | "update.root_rotated"
  | "update.check_failed"
  | "update.check_recovered"
  | "update.available"
  | "update.staged"
  | "update.download_failed"
  | "update.applying"
  | "update.applied"
  | "update.undone"
  | "update.refused"
>;
