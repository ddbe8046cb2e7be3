import { hidden, settings } from "./settings.ts";

/** A schema with every member optional and no defaults, for a merge: an absent member stays as it is. */
type Merge<S> = S extends { readonly properties: infer P }
  ? Omit<S, "required" | "default" | "properties"> & { readonly properties: { [K in keyof P]: Merge<P[K]> } }
  : Omit<S, "default">;

function mergeSchema<S extends object>(schema: S): Merge<S> {
  const { required: _, default: __, ...rest } = schema as Record<string, unknown>;
  if (typeof rest.properties === "object" && rest.properties !== null) {
    const members = Object.entries(rest.properties).map(([name, member]) => [name, mergeSchema(member)]);
    return { ...rest, properties: Object.fromEntries(members) } as Merge<S>;
  }
  return rest as Merge<S>;
}

export const settingsChange = mergeSchema(settings);

/** The settings as they are shown: members marked `x-redacted` may be hidden. */
export const settingsView = viewSchema(settings);

function viewSchema<S extends object>(schema: S): S {
  const { properties, ...rest } = schema as Record<string, unknown>;
  if ("x-redacted" in rest) return { anyOf: [{ const: hidden }, rest] } as unknown as S;
  if (typeof properties !== "object" || properties === null) return schema;
  const members = Object.entries(properties).map(([name, member]) => [name, viewSchema(member)]);
  return { ...rest, properties: Object.fromEntries(members) } as S;
}

/** The names of these shapes in the OpenAPI document. */
export const settingsShapes = () => {
  const { properties: view } = settingsView;
  return {
    Settings: settingsView,
    SettingsChange: settingsChange,
    DeviceSettings: view.device,
    TimeSettings: view.time,
    UpdateSettings: view.update,
    UpdateWindow: view.update.properties.windows.items,
    SecuritySettings: view.security,
    ConsoleSettings: view.console,
    NotifySettings: view.notify,
    Receiver: settings.properties.notify.properties.receivers.items,
  } as const;
};

export const settingsExamples = { SettingsChange: { device: { name: "pump-7", location: "hall 2" } } };
