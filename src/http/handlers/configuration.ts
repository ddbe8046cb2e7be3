import type { Configurator } from "../../configuration/configuration.ts";
import type { Configuration } from "../../contract/types.ts";
import { type Call, form, type Handlers } from "../call.ts";

/** One document for the whole device. `open`: loads what does it, which most agents never need. */
export function createConfigurationHandlers(
  open: () => Promise<Configurator>,
): Pick<Handlers, "applyConfiguration"> {
  return {
    applyConfiguration: form(
      async ({ body, query, note }: Call<"applyConfiguration">) => {
        const check = query?.check ?? false;
        const { changes, awaits } = await (await open()).apply(body, check);
        const isChanged = changes.length > 0;
        const isUnchanged = check || !isChanged || awaits !== null;
        note({ details: { changes: changes.length }, isUnchanged });
        return { changed: isChanged, check, changes: [...changes], awaits_update_root: awaits };
      },
      async (sound: Configuration) => (await open()).faultsOf(sound),
    ),
  };
}
