import type { Option } from "./command.ts";

/** Options of every command, accepted before and after it. */
export const globalOptions: readonly Option[] = [
  {
    name: "output",
    short: "o",
    value: "FORMAT",
    values: ["table", "json"],
    summary: "table (default), or json in the shapes of the API",
  },
  { name: "quiet", summary: "no remarks on standard error, only errors" },
  { name: "yes", summary: "do not ask for confirmation" },
  {
    name: "socket",
    value: "PATH",
    isFile: true,
    excludes: "url",
    isOfAgent: true,
    summary: "the agent's socket (STEWARD_SOCKET, else /run/steward/steward.sock)",
  },
  {
    name: "state",
    value: "DIR",
    isFile: true,
    isOfAgent: true,
    summary: "the agent's state directory (STEWARD_STATE, else /var/lib/steward)",
  },
  { name: "url", value: "URL", isOfAgent: true, summary: "an agent over the network instead of the socket" },
  {
    name: "insecure-http",
    isOfAgent: true,
    summary: "send a token or password over plain http, where others can read it",
  },
  {
    name: "token-file",
    value: "FILE",
    isFile: true,
    isOfAgent: true,
    summary: "file that holds the bearer token",
  },
  {
    name: "cacert",
    value: "FILE",
    isFile: true,
    isOfAgent: true,
    summary: "PEM file of the certificate authority that the server of --url must have",
  },
  { name: "help", short: "h", summary: "show this help" },
  { name: "version", summary: "show this program's version" },
];
