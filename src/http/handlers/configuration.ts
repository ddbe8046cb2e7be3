import { StewardError } from "../../contract/errors.ts";
import type { configurationOperations } from "../../contract/operations/configuration.ts";
import type { Configuration } from "../../contract/types.ts";
import type { Configurator } from "../../device/configuration/configuration.ts";
import { type Call, form, type HandlersOf } from "../call.ts";

/** Applies one document to the whole device. `open` loads the code for that, which most agents never need. */
export function createConfigurationHandlers(
  open: () => Promise<Configurator>,
): HandlersOf<typeof configurationOperations> {
  const faultsOf = async (sound: Configuration) => (await open()).faultsOf(sound);
  return {
    getSealKey: async () => {
      const public_key = await (await open()).sealKey();
      if (public_key !== null) return { public_key };
      const text = "This device has no key to seal with: `steward doctor` says why. Nothing was changed.";
      throw new StewardError("second_factor_unavailable", text);
    },
    exportConfiguration: async ({ query }) =>
      (await open()).export({
        withoutSecrets: query?.without_secrets ?? false,
        sealTo: query?.seal_to ?? null,
      }),
    applyConfiguration: form(async ({ body, query, note }: Call<"applyConfiguration">) => {
      const check = query?.check ?? false;
      const { changes, awaits } = await (await open()).apply(body, check);
      const isChanged = changes.length > 0;
      const isUnchanged = check || !isChanged || awaits !== null;
      note({ details: { changes: changes.length }, isUnchanged });
      return { changed: isChanged, check, changes: [...changes], awaits_update_root: awaits };
    }, faultsOf),
    checkConfiguration: form(async ({ body }: Call<"checkConfiguration">) => {
      const { changes } = await (await open()).apply(body, true);
      // Names of members only: the reader of a token learns no value that it did not bring.
      const differences = changes.map(({ members, ...change }) => ({
        ...change,
        members: members.map(({ member }) => member),
      }));
      return { differs: differences.length > 0, differences };
    }, faultsOf),
    getConfigurationDigest: async () => (await open()).digest(),
  };
}
