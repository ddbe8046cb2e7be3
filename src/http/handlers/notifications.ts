import type { notificationOperations } from "../../contract/operations/notifications.ts";
import type { DeliveryAnswer, ReceiverStates } from "../../contract/types.ts";
import type { HandlersOf } from "../call.ts";

/** The receivers of messages, as callers see them. */
export interface ReceiverControl {
  states(): ReceiverStates | Promise<ReceiverStates>;
  /**
   * Seals a secret for the receiver, and returns one that it made because none was given; null: one was given. Throws
   * `not_found`, `validation_failed`, `second_factor_unavailable`, `storage_full`, `storage_unwritable`.
   */
  setSecret(name: string, secret: string | undefined): Promise<string | null>;
  /** One delivery, now. Throws `not_found`. */
  test(name: string): Promise<DeliveryAnswer>;
}

export function createNotificationHandlers(
  receivers: ReceiverControl,
): HandlersOf<typeof notificationOperations> {
  return {
    getNotifications: async () => ({ receivers: await receivers.states() }),
    setReceiverSecret: async ({ params: { name }, body: { secret }, note }) => {
      const made = await receivers.setSecret(name, secret);
      note({ details: { name } });
      return { secret: made };
    },
    testReceiver: ({ params: { name } }) => receivers.test(name),
  };
}
