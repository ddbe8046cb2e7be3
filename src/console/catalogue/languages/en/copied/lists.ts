export const listWords = {
  export: "Export CSV",
  exported: (count: number) => `${count} ${count === 1 ? "row" : "rows"} exported`,
  filters: "Filters",
  filtersInForce: (count: number) => `Filters · ${count}`,
  loading: "Loading more …",
  onPaper: "Only the rows in sight are on paper. “Export CSV” has all of them.",
  zones: (here = "", there = "", device = "") =>
    `Times are in this browser's time zone, UTC${here}; the device is in ${device}, UTC${there}.`,
  since: "Since",
  /** By what the agent is asked for; T: a time. */
  sinces: {
    "": "everything",
    "15m": "15 minutes ago",
    "1h": "an hour ago",
    "1d": "a day ago",
    "7d": "a week ago",
    "30d": "a month ago",
    T: "a time …",
  },
  times: { since: "From when", until: "Until when" },
  all: "all",
  pause: "Pause",
  follow: "Follow",
  followWith: (count: number) => `Follow · ${count} new`,
  kinds: {
    anonymous: "not signed in",
    "local-root": "root on the device",
    user: "user",
    token: "API token",
    agent: "the device itself",
    product: "the product",
  },
};
