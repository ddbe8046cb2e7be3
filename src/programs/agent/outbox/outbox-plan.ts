import type { Host } from "../../../host/host.ts";
import type { Message } from "../../../outbox/receiver.ts";
import type { SecretSeal } from "../../../outbox/receiver-secrets.ts";
import type { RoomsConfig } from "../config.ts";
import type { State } from "../state.ts";

/** The parts that the outbox of this device is joined from. */
export interface OutboxPlan {
  readonly config: Pick<RoomsConfig, "notify" | "build" | "product" | "log">;
  readonly host: Host;
  readonly state: Pick<State, "openLater" | "events">;
  readonly seal: SecretSeal;
  readonly device: () => Message["device"];
  /** The present as far as it is known. */
  readonly now: () => Date;
}
