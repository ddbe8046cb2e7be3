import { StewardError } from "../../src/contract/errors.ts";
import type { RootHelper } from "../../src/host/ports.ts";

/** A root helper that records its orders. */
export interface RecordedHelper extends RootHelper {
  /** As lines, in order: `chrony burst`. */
  readonly orders: string[];
}

/** A root helper that does what `perform` does with each line. */
export function recordedHelper(perform: (line: string) => void = () => undefined): RecordedHelper {
  const orders: string[] = [];
  return {
    orders,
    mayBeAsked: true,
    absence: () => null,
    ask: async (order) => {
      const line = Object.values(order).join(" ");
      orders.push(line);
      perform(line);
    },
  };
}

/** A host without a root helper. */
export function absentHelper(): RecordedHelper {
  return recordedHelper(() => {
    throw new StewardError("forbidden", "This host has no root helper.");
  });
}
