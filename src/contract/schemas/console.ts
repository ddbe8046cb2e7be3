import { strictObject, timestamp } from "../shapes.ts";

/** Paths at which a browser gets the console's page; the page itself resolves the rest of the path. */
export const consolePaths = [
  "/",
  "/setup",
  "/users",
  "/system",
  "/system/device",
  "/system/settings",
  "/system/logs",
  "/system/events",
  "/system/history",
  "/updates",
  "/account",
] as const;

/** The facts that the console shows before sign-in. */
export const consoleGreeting = strictObject({
  device_name: { type: "string", description: "device.name, or the host's name where that is empty" },
  banner: { type: "string", description: "console.banner" },
  accent: { type: "string", description: "console.accent" },
  language: { type: "string", description: "console.language" },
  version: { type: "string", description: "of the agent; if it changes, the page is out of date" },
  setup_required: { type: "boolean", description: "the device still needs its first administrator" },
  rescue: {
    type: "boolean",
    description: "the device's state is damaged, and users cannot sign in until it is repaired",
  },
  server_time: { ...timestamp, description: "the time by which codes and tokens are judged" },
  synchronised: { type: ["boolean", "null"], description: "the clock is trusted; null: not known" },
  floor_at: { ...timestamp, description: "a time that has passed, whatever the clock says" },
  maker: {
    ...strictObject({
      name: { type: "string" },
      mark: { type: "boolean", description: "at /maker-mark" },
      picture: { type: "boolean", description: "at /maker-picture" },
      support: { type: ["string", "null"] },
    }),
    type: ["object", "null"],
  },
  provider: { type: ["string", "null"], description: "the provider that users can sign in at; null: none" },
});

/** The names of these shapes in the OpenAPI document. */
export const consoleShapes = () => ({ ConsoleGreeting: consoleGreeting }) as const;

export const consoleExamples = {
  ConsoleGreeting: {
    device_name: "pump-7",
    banner: "",
    accent: "blue",
    language: "en",
    version: "1.0.0",
    setup_required: true,
    rescue: false,
    server_time: "2026-11-20T08:00:00.000Z",
    synchronised: false,
    floor_at: "2026-11-19T22:10:00.000Z",
    maker: null,
    provider: null,
  },
};
