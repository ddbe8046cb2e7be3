import type { AskKeyExchange } from "../../nts-ports.ts";
import type { KeyExchangePlan } from "./key-exchange.ts";

/** Key exchanges whose part of the program is loaded with the first of them: few devices make any. */
export function openKeyExchange(plan: KeyExchangePlan): AskKeyExchange {
  let opened: Promise<AskKeyExchange> | undefined;
  return async (question) => {
    opened ??= import("./key-exchange.ts").then(({ createKeyExchange }) => createKeyExchange(plan));
    return (await opened)(question);
  };
}
