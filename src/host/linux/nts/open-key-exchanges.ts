import type { KeyExchangeOptions } from "../../host.ts";
import type { KeyExchanges } from "../../nts-ports.ts";

/** Key exchanges whose part of the program is loaded with the first of them: few devices make any. */
export function openKeyExchanges(options: KeyExchangeOptions): KeyExchanges {
  let opened: Promise<KeyExchanges> | undefined;
  const open = (): Promise<KeyExchanges> => {
    opened ??= import("./key-exchange-process.ts").then(({ createKeyExchanges }) =>
      createKeyExchanges(options),
    );
    return opened;
  };
  return {
    // A part that cannot be loaded is the failure of the exchange that follows.
    prepare: () =>
      void open().then(
        (exchanges) => exchanges.prepare(),
        () => undefined,
      ),
    exchange: async (request) => (await open()).exchange(request),
  };
}
