import type { CommandGroup, CommandTable, Option } from "../terminal/commands/command.ts";
import { globalOptionsWith } from "../terminal/commands/global-options.ts";

const agentOptions: readonly Option[] = [
  {
    name: "socket",
    value: "PATH",
    excludes: "url",
    isOfAgent: true,
    summary: "the agent's socket (STEWARD_SOCKET, else /run/steward/steward.sock)",
  },
  {
    name: "state",
    value: "DIR",
    isOfAgent: true,
    summary: "the agent's state directory (STEWARD_STATE, else /var/lib/steward)",
  },
  { name: "url", value: "URL", isOfAgent: true, summary: "an agent over the network instead of the socket" },
  {
    name: "insecure-http",
    isOfAgent: true,
    summary: "send a token or password over plain http, where others can read it",
  },
  { name: "token-file", value: "FILE", isOfAgent: true, summary: "file that holds the bearer token" },
  {
    name: "cacert",
    value: "FILE",
    isOfAgent: true,
    summary: "PEM file of the certificate authority for the server of --url",
  },
];

const groups: readonly CommandGroup[] = [
  {
    title: "Users and their access",
    words: ["user", "token", "hash-password", "seal", "seal-key", "setup-token"],
  },
  {
    title: "The device",
    words: [
      ...["status", "history", "doctor", "apply", "backup", "system", "host-file", "tls", "time"],
      ...["notify", "logs", "events", "product"],
      ...["restore", "reboot", "power-off", "factory-reset", "version"],
    ],
  },
  { title: "Updates", words: ["update"] },
  { title: "The agent and its state", words: ["serve", "state"] },
  { title: "The command line", words: ["help", "completion"] },
];

export const steward: Omit<CommandTable, "commands"> = {
  program: "steward",
  groups,
  globalOptions: globalOptionsWith(agentOptions),
  firstSteps: [
    { line: "steward user add anna --role admin", what: "create the first administrator" },
    { line: "steward user diagnose anna", what: "why can anna not sign in?" },
    { line: "steward time status", what: "is the clock right, and who sets it?" },
    { line: "steward update status", what: "which releases are installed, and which are available?" },
    { line: "steward help user", what: "the commands of a group" },
  ],
  exitCodes: [
    ["0", "ok"],
    ["1", "failed"],
    ["2", "usage"],
    ["3", "not found"],
    ["4", "not permitted"],
    ["5", "conflict"],
    ["6", "invalid input"],
    ["7", "locked or rate-limited"],
    ["8", "agent unreachable"],
    ["9", "clock not synchronised"],
    [
      "10",
      "done, but something needs attention (status, doctor), or the device differs from the file (apply --check)",
    ],
    ["11", "no Node.js on this device is suitable"],
    ["130", "interrupted"],
  ],
};
