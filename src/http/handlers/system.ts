import { settings as settingsSchema } from "../../contract/settings.ts";
import type { Health, Version } from "../../contract/types.ts";
import { changedSettings, type SettingsStore } from "../../settings/settings.ts";
import type { ReadFacts } from "../../system/facts.ts";
import { type Handlers, roleOf } from "../call.ts";
import { openApiDocument } from "../openapi.ts";

type SystemHandlers = Pick<
  Handlers,
  | "getVersion"
  | "getHealth"
  | "getReadiness"
  | "getOpenApi"
  | "getSettings"
  | "updateSettings"
  | "getSettingsSchema"
  | "getSystemFacts"
>;

export interface SystemHandlersOptions {
  settings: SettingsStore;
  readFacts: ReadFacts;
  /** `isDetailed` for callers who are known. */
  version: (isDetailed: boolean) => Version;
  health: (isDetailed: boolean) => Health;
}

/** Settings, and what the agent and its host say of themselves. */
export function createSystemHandlers(options: SystemHandlersOptions): SystemHandlers {
  const { settings } = options;
  // Made once, when first asked for: it is a hundred kilobytes of text, and anybody may ask.
  let openApi: Record<string, unknown> | undefined;
  return {
    getVersion: ({ actor }) => options.version(actor.kind !== "anonymous"),
    getHealth: ({ actor }) => options.health(actor.kind !== "anonymous"),
    getReadiness: ({ actor }) => options.health(actor.kind !== "anonymous"),
    getOpenApi: () => {
      openApi ??= { ...openApiDocument(options.version(false).version) };
      return openApi;
    },
    getSettings: ({ actor }) => settings.view(roleOf(actor) ?? "readonly"),
    updateSettings: async ({ actor, body, ifMatch, note }) => {
      let before = settings.read();
      const after = await settings.change(body, roleOf(actor) ?? "readonly", (present) => {
        before = present;
        ifMatch(present);
      });
      // Names alone: a value may be one that not everybody sees.
      note({ details: { changed: changedSettings(before, after) }, isUnchanged: after === before });
      return after;
    },
    getSettingsSchema: () => settingsSchema,
    getSystemFacts: () => options.readFacts(),
  };
}
