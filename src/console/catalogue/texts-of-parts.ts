/** The files of texts (languages/) that each part of the console is loaded with, beside those of `base`. */
export const textsOfParts = {
  sheet: ["machine"],
  setup: ["setup"],
  restore: ["setup"],
  people: ["people"],
  adding: ["people", "adding"],
  several: ["people", "adding"],
  account: ["account"],
  passkey: [],
  device: ["device"],
  clock: ["device", "records"],
  machine: ["machine"],
  problems: ["problems"],
  palette: ["palette", "settings"],
  logs: ["records"],
  events: ["events"],
  history: ["records"],
  event: ["event", "events", "settings"],
  product: [],
  updates: ["updates"],
  upload: ["upload", "updates"],
  ota: ["settings", "updates"],
  settings: ["settings"],
  notifications: ["notifications"],
} as const;

export type Part = keyof typeof textsOfParts;
