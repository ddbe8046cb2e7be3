import type { Option } from "./command.ts";

/** Options of every command, accepted before and after it; those in `own` only a program of its own has. */
export const globalOptionsWith = (own: readonly Option[]): readonly Option[] => [
  {
    name: "output",
    short: "o",
    value: "FORMAT",
    values: ["table", "json"],
    summary: "table (default) or json",
  },
  { name: "quiet", summary: "print only errors on standard error, no remarks" },
  { name: "yes", summary: "do not ask for confirmation" },
  ...own,
  { name: "help", short: "h", summary: "show this help" },
  { name: "version", summary: "show this program's version" },
];
