import { chatServices, isChatService } from "../../contract/notifications/chat-services.ts";
import type { ReceiverStates } from "../../contract/types.ts";
import { CommandError } from "../../terminal/command-error.ts";
import { escapeText } from "../../terminal/escape.ts";
import { withHiddenInput } from "../../terminal/prompt.ts";
import type { Command, Invocation } from "../client/command.ts";
import { readFirstLine } from "../users/new-password.ts";

const list: Command = {
  path: ["notify", "list"],
  summary: "List the receivers of messages and the state of their deliveries",
  examples: [
    {
      line: 'steward system set \'notify.receivers=[{"name":"alerts","kind":"webhook","url":"https://alerts.example/steward","takes":"all"}]\'',
      what: "add a receiver; then give it a secret",
    },
  ],
  async run({ client, output }) {
    const states = await client.call("getNotifications", {});
    await output.table(states, {
      heads: ["NAME", "KIND", "SECRET", "WAITING", "LAST SUCCESS", "LAST ERROR"],
      rows: states.receivers.map((one) => [
        one.name,
        isChatService(one.kind) ? chatServices[one.kind].name : one.kind,
        one.secret_set === null ? "" : one.secret_set ? "set" : "missing",
        one.waiting,
        one.last_success ?? "",
        one.last_error?.detail ?? "",
      ]),
    });
  },
};

const test: Command = {
  path: ["notify", "test"],
  summary: "Send a test to the receiver NAME now, and print its answer; exit code 1 if it fails",
  positionals: [{ name: "NAME" }],
  async run({ positionals: [name = ""], client, output }) {
    const delivery = await client.call("testReceiver", { params: { name } });
    if (!delivery.ok) throw new CommandError(1, delivery.error ?? "The test failed.");
    await output.value(delivery, delivery.answer);
  },
};

const secret: Command = {
  path: ["notify", "secret"],
  summary:
    "Set the secret of the receiver NAME: a password, token or header, or a new secret for a webhook, which is printed",
  examples: [
    { line: "steward notify secret alerts", what: "for a webhook: makes a secret and prints it, once" },
    {
      line: "steward notify secret duty",
      what: "for mail: asks for the password; for ntfy and Gotify: for the token",
    },
    { line: "steward notify secret duty --stdin < password.txt", what: "the same in a script" },
    {
      line: "steward notify secret hook --header Authorization",
      what: "asks for the value of a header to send",
    },
  ],
  positionals: [{ name: "NAME" }],
  options: [
    { name: "header", value: "HEADER", summary: "send the secret as the value of this header" },
    { name: "stdin", summary: "take the secret from the first line of standard input" },
  ],
  async run(invocation) {
    const { positionals, options, client, output } = invocation;
    const [name = ""] = positionals;
    const given = await givenSecret(invocation, name);
    const header = options.text("header");
    const secret = header === undefined ? given : `${header}: ${given}`;
    const answer = await client.call("setReceiverSecret", {
      params: { name },
      body: secret === undefined ? {} : { secret },
    });
    if (answer.secret === null)
      return output.changed(answer, `The secret of ${name} is set. Try it: steward notify test ${name}`);
    await output.remark(
      "This secret is shown only now. Give it to the receiver, which verifies messages with it:",
    );
    await output.value(answer, answer.secret);
  },
};

/** Undefined: the agent is to make one. */
async function givenSecret(invocation: Invocation, name: string): Promise<string | undefined> {
  const { client, context, options } = invocation;
  const { stdin } = context;
  if (options.has("stdin")) {
    if (!stdin.isTTY) return readFirstLine(stdin);
    throw new CommandError(2, "--stdin would show the secret on this terminal. Leave it out.");
  }
  const { kind } = await receiverNamed(name, client);
  const header = options.text("header");
  if (kind === "webhook" && header === undefined) return undefined;
  const what =
    kind === "mail" ? "Password for the mail server" : `${header ?? "Token, or header (name: value),"}`;
  if (stdin.isTTY) return withHiddenInput(context, (ask) => ask(`${what} of ${name}: `));
  throw new CommandError(
    2,
    "There is no terminal on which to ask for the secret. Give it on standard input with --stdin.",
  );
}

/** Throws CommandError(3). */
async function receiverNamed(name: string, client: Invocation["client"]): Promise<ReceiverStates[number]> {
  const { receivers } = await client.call("getNotifications", {});
  const found = receivers.find((one) => one.name === name);
  if (found) return found;
  const names = receivers.map((one) => one.name).join(", ") || "none";
  throw new CommandError(3, `There is no receiver "${escapeText(name)}"; there are: ${names}.`);
}

export const notifyCommands: readonly Command[] = [list, test, secret];
