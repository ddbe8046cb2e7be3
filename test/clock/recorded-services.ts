import { StewardError } from "../../src/contract/errors.ts";
import type { TimeServices } from "../../src/host/ports.ts";

/** The units of a host, which record their orders. */
export interface RecordedServices extends TimeServices {
  /** What was asked of systemd, in order. */
  readonly orders: string[];
}

/** Units that do what `perform` does with their names. */
export function recordedServices(perform: (unit: string) => void = () => undefined): RecordedServices {
  const orders: string[] = [];
  const order = async (verb: string, unit: string): Promise<void> => {
    orders.push(`${verb} ${unit}`);
    perform(unit);
  };
  return {
    orders,
    activeDaemon: async () => null,
    start: (unit) => order("start", unit),
    restart: (unit) => order("restart", unit),
  };
}

/** Units that polkit does not let the agent start. */
export function forbiddenServices(): RecordedServices {
  return recordedServices(() => {
    throw new StewardError("forbidden", "Interactive authentication required.");
  });
}
