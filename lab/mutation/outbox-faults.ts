import type { NamedFault } from "./named.ts";

const outbox = (title: string) => ({ file: "test/outbox/outbox.test.ts", title });

const mail = (title: string) => ({ file: "test/outbox/mail.test.ts", title });

const webhook = (title: string) => ({ file: "test/outbox/webhook.test.ts", title });

const collector = (title: string) => ({ file: "test/outbox/otlp/otlp.test.ts", title });

const syslog = (title: string) => ({ file: "test/outbox/syslog/syslog.test.ts", title });

/** The rules of docs/design/outbox.md, each with the code taken out that keeps it. */
export const outboxFaults: readonly NamedFault[] = [
  {
    name: "cursor not written before the first attempt",
    file: "src/outbox/dispatcher.ts",
    check:
      "if (this.#cursor.sending === null) await this.#keep({ ...this.#cursor, ...batch.before, sending });",
    instead:
      "if (this.#cursor.sending === null) this.#cursor = { ...this.#cursor, ...batch.before, sending };",
    test: outbox(
      "repeats the same message under the same id after the process was killed, and the rest behind it",
    ),
  },
  {
    name: "another id at the next attempt",
    file: "src/outbox/dispatcher.ts",
    check: "const sending = this.#cursor.sending ?? { first: batch.first, last: batch.last };",
    instead: "const sending = { first: batch.first, last: events.head() };",
    test: outbox(
      "loses nothing, keeps the order, and repeats under the same id only, while an hour of requests fails",
    ),
  },
  {
    name: "a failed message is passed over",
    file: "src/outbox/dispatcher.ts",
    check: 'if (delivery.outcome === "retry") return this.#failed(delivery);',
    instead: 'if (delivery.outcome === "retry") this.#failed(delivery);\n    else',
    test: outbox(
      "loses nothing, keeps the order, and repeats under the same id only, while an hour of requests fails",
    ),
  },
  {
    name: "two messages at once",
    file: "src/outbox/dispatcher.ts",
    check: "this.#running ??=",
    instead: "this.#running =",
    test: outbox(
      "loses nothing, keeps the order, and repeats under the same id only, while an hour of requests fails",
    ),
  },
  {
    name: "an attempt without an end",
    file: "src/outbox/dispatcher.ts",
    check: "this.#options.timers.after(attemptSeconds, end)",
    instead: "() => undefined",
    test: outbox("ends an attempt that hangs, and tells of it"),
  },
  {
    name: "no rate limit",
    file: "src/outbox/dispatcher.ts",
    check: 'takes === "record" ? 0 : restSeconds',
    instead: "0",
    test: outbox("sends a message a minute, with all that came meanwhile; what is grave goes at once"),
  },
  {
    name: "a grave event waits",
    file: "src/outbox/dispatcher.ts",
    check: "this.#isGrave || this.#cursor.sending !== null ? 0",
    instead: "this.#cursor.sending !== null ? 0",
    test: outbox("sends a message a minute, with all that came meanwhile; what is grave goes at once"),
  },
  {
    name: "last_error of a failure",
    file: "src/outbox/dispatcher.ts",
    check: "this.#troubled(error);",
    instead: "",
    test: outbox(
      "waits longer after each failure, from half a minute to an hour, and says since when it fails",
    ),
  },
  {
    name: "a refusal that a success wipes",
    file: "src/outbox/dispatcher.ts",
    check: "return this.#again({ ...ended, untold: null });",
    instead: "return this.#again({ ...ended, refused: null, untold: null });",
    test: outbox(
      "counts what a receiver refuses, over successes and restarts, until a person's test shows it",
    ),
  },
  {
    name: "a refused message passed over whole",
    file: "src/outbox/dispatcher.ts",
    check: 'isWhole && takes === "record" && batch.count > 1',
    instead: "false",
    test: outbox(
      "halves a refused message of the record until the event is alone that is refused, and passes over that",
    ),
  },
  {
    name: "no pause for a receiver that refuses all",
    file: "src/outbox/dispatcher.ts",
    check: "if (isWhole) this.#failed(delivery);",
    instead: "if (false) this.#failed(delivery);",
    test: outbox(
      "gives a receiver that refuses all of the record the pauses of one that fails, and is a failure",
    ),
  },
  {
    name: "a new receiver gets the past",
    file: "src/outbox/outbox.ts",
    check: "return newCursor(name, head);",
    instead: "return newCursor(name, 0);",
    test: outbox("begins a new receiver at the newest event, keeps the others, and forgets one that is gone"),
  },
  {
    name: "a place behind the head of a record that has begun again",
    file: "src/outbox/outbox.ts",
    check: "known !== undefined && known.seq <= head",
    instead: "known !== undefined",
    test: outbox("begins at the newest event of a record that has begun again"),
  },
  {
    name: "no back-off",
    file: "src/outbox/retries.ts",
    check: "firstRetrySeconds * 2 ** (failures - 1)",
    instead: "firstRetrySeconds",
    test: outbox(
      "waits longer after each failure, from half a minute to an hour, and says since when it fails",
    ),
  },
  {
    name: "no jitter",
    file: "src/outbox/retries.ts",
    check: "(span / 2) * (1 + chance)",
    instead: "span",
    test: {
      file: "test/outbox/retries.test.ts",
      title: "doubles from half a minute to an hour, and is drawn from the upper half of its span",
    },
  },
  {
    name: "Retry-After not honoured",
    file: "src/outbox/retries.ts",
    check: "Math.min(retryAfterSeconds, longestRetryAfterSeconds)",
    instead: "0",
    test: outbox("is silent for as long as a receiver asks, but no longer than a day"),
  },
  {
    name: "Retry-After without a bound",
    file: "src/outbox/retries.ts",
    check: "Math.min(retryAfterSeconds, longestRetryAfterSeconds)",
    instead: "retryAfterSeconds",
    test: {
      file: "test/outbox/retries.test.ts",
      title: "is as long as the receiver asks, up to a day, and never shorter than without that",
    },
  },
  {
    name: "a gap that is not told",
    file: "src/outbox/batch.ts",
    check: "if (isMissing) gap =",
    instead: "if (false) gap =",
    test: outbox("is told with the first message behind it"),
  },
  {
    name: "a gap where only refusals were dropped",
    file: "src/outbox/batch.ts",
    check: 'takes !== "record" && change_hash !== null',
    instead: "false",
    test: outbox("is none where refusals were dropped, but for a receiver of the record"),
  },
  {
    name: "notices out of order",
    file: "src/outbox/batch.ts",
    check: ".sort((one, other) => one.seq - other.seq)",
    instead: "",
    test: outbox("makes one message of a storm, with its count and the gravest and newest notices"),
  },
  {
    name: "a storm counted by its notices",
    file: "src/outbox/batch.ts",
    check: "count: (sum?.count ?? 0) + 1",
    instead: "count: this.#taken.length + 1",
    test: outbox("makes one message of a storm, with its count and the gravest and newest notices"),
  },
  {
    name: "a storm that hides what is grave",
    file: "src/outbox/batch.ts",
    check: '(levelOf(event) === "grave" ? 0 : 1)',
    instead: "(levelOf(event) === null ? 0 : 1)",
    test: outbox("makes one message of a storm, with its count and the gravest and newest notices"),
  },
  {
    name: "a receiver muted unheard",
    file: "src/outbox/outbox.ts",
    check: "!receivers.some((next) => areSame(one, next))",
    instead: "false",
    test: outbox("has a last message for a receiver that is removed (an intruder mutes the device)"),
  },
  {
    name: "a receiver sent elsewhere unheard",
    file: "src/outbox/outbox.ts",
    check: "!receivers.some((next) => areSame(one, next))",
    instead: "!receivers.some((next) => next.name === one.name)",
    test: outbox("has a last message for a receiver that is sent elsewhere (an intruder mutes the device)"),
  },
  {
    name: "a last message that is tried for ever",
    file: "src/outbox/outbox.ts",
    check: "attempts < mostLastAttempts",
    instead: "attempts < 1_000",
    test: outbox("tries a last message for about an hour"),
  },
  {
    name: "a need mailed as often as it comes and goes",
    file: "src/outbox/need-mails.ts",
    check: 'if (before?.state === "quiet") return { next: before, shown: [] };',
    instead: "",
    test: mail(
      "about the end of a need refers to that of its beginning, and none is sent where all was mailed",
    ),
  },
  {
    name: "a password sent to another server",
    file: "src/outbox/receiver-secrets.ts",
    check: "? [kind, server, port, username] : [originOf(url)]",
    instead: "? [] : []",
    test: {
      file: "test/outbox/receiver-secrets.test.ts",
      title: "are not given to another server: a password is sealed for the one that it was set for",
    },
  },
  {
    name: "a recipient who was put off and is forgotten",
    file: "src/outbox/mail.ts",
    check: "if (!/^(4|552)/.test(reply)) return false;",
    instead: "if (reply !== null) return false;",
    test: mail("is sent again to the one who was put off, under its id, and not to those who have it"),
  },
  {
    name: "a mail sent again to those who have it",
    file: "src/outbox/mail.ts",
    check: "before(id)?.left ?? to",
    instead: "to",
    test: mail("is sent again to the one who was put off, under its id, and not to those who have it"),
  },
  {
    name: "a full mailbox that holds up all others",
    file: "src/outbox/mail.ts",
    check: "return uptime() - since < patienceSeconds;",
    instead: "return true;",
    test: mail("does not wait for one who is put off for half an hour, until a mail reaches them"),
  },
  {
    name: "a password without TLS",
    file: "src/outbox/smtp.ts",
    check: "requireTLS: true",
    instead: "requireTLS: false",
    test: mail("and answers 502 5.5.1 Command not implemented gets neither the password nor the mail"),
  },
  {
    name: "a password to a server whose certificate is not good",
    file: "src/outbox/smtp.ts",
    check: "rejectUnauthorized: true",
    instead: "rejectUnauthorized: false",
    test: mail(
      "(of another authority, starttls) gets neither the password nor the mail, and the error says so",
    ),
  },
  {
    name: "a device's name that adds a header",
    file: "src/outbox/mail-text.ts",
    check: 'printableLine(name ?? "", 64) || id',
    instead: "name || id",
    test: mail("has letters of every kind, and a name cannot add a header"),
  },
  {
    name: "a signature that is good under another id",
    file: "src/outbox/webhook-signature.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text of the source
    check: "`${id}.${seconds}.${body}`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text of the source
    instead: "`${seconds}.${body}`",
    test: webhook("is verified by the library of Standard Webhooks, with letters of every kind"),
  },
  {
    name: "a signature that is good at any time",
    file: "src/outbox/webhook-signature.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text of the source
    check: "`${id}.${seconds}.${body}`",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is a text of the source
    instead: "`${id}.${body}`",
    test: webhook("keeps its id at the next attempt, with a time and a signature of that moment"),
  },
  {
    name: "a webhook without TLS",
    file: "src/outbox/webhook.ts",
    check: "if (!options.allowHttp &&",
    instead: "if (false &&",
    test: webhook("is one without TLS, where root does not allow it"),
  },
  {
    name: "any page taken for the answer of a chat service",
    file: "src/outbox/webhook.ts",
    check: "chatForms[service].isTaken(status, readJson(text))",
    instead: "isSuccess",
    test: {
      file: "test/outbox/webhook/chat-services.test.ts",
      title: "is delivered where the service says so, and only then",
    },
  },
  {
    name: "a name that calls everyone in Discord",
    file: "src/outbox/webhook/chat-services.ts",
    check: ", allowed_mentions: { parse: [] }",
    instead: "",
    test: {
      file: "test/outbox/webhook/chat-services.test.ts",
      title: "has its form, marks what is grave, and takes the meaning from its markup",
    },
  },
  {
    name: "Retry-After not read",
    file: "src/outbox/webhook.ts",
    check: "readRetryAfter(headers) ?? askedPause(text),",
    instead: "askedPause(text),",
    test: webhook("carries the pause that the receiver asked for"),
  },
  {
    name: "a webhook to the device itself",
    file: "src/programs/agent/outbox/make-receivers.ts",
    check: "...{ ...config.notify, redirects: null }",
    instead: "...{ allowLocalServers: true, redirects: null }",
    test: {
      file: "test/programs/notifications.test.ts",
      title: "on the device itself gets no webhook, unless root allows it",
    },
  },
  {
    name: "a mail to the device itself",
    file: "src/programs/agent/outbox/make-receivers.ts",
    check: "host.network.openConnections(config.notify)",
    instead: "host.network.openConnections({ allowLocalServers: true })",
    test: {
      file: "test/programs/notifications.test.ts",
      title: "on the device itself gets no mail, unless root allows it",
    },
  },
  {
    name: "what a collector can never take is sent again",
    file: "src/outbox/otlp/exporter.ts",
    check: "if (status === 400 && reason !== null)",
    instead: "if (status === 0)",
    test: collector("of 400 is the end of a message: the protocol forbids to send it again"),
  },
  {
    name: "a front's 400 that passes over the record",
    file: "src/outbox/otlp/exporter.ts",
    check: "if (status === 400 && reason !== null)",
    instead: "if (status === 400)",
    test: collector("of 400 in another's form (Bad Request) passes over nothing"),
  },
  {
    name: "a wrong token that fills the collector's log",
    file: "src/outbox/otlp/exporter.ts",
    check: "Math.max(seconds ?? 0, repairSeconds)",
    instead: "seconds",
    test: collector(
      "that a person has to see to is a failure, tried again in an hour, and the record waits for it",
    ),
  },
  {
    name: "syslog counts as delivered when it was not read",
    file: "src/outbox/syslog.ts",
    check: "if (socket.writableFinished)",
    instead: "if (socket)",
    test: syslog("that closes before it has read anything has not got them"),
  },
  {
    name: "syslog counts as delivered before TCP has acknowledged all",
    file: "src/outbox/syslog.ts",
    check: "if (isIt) resolve(true);",
    instead: "resolve(isIt || true);",
    test: syslog("that keeps its side open has them not while TCP has not acknowledged all"),
  },
  {
    name: "syslog to a server whose certificate is not good",
    file: "src/host/linux/transfers/connections.ts",
    check: "rejectUnauthorized: true",
    instead: "rejectUnauthorized: false",
    test: syslog("with a certificate that is not trusted, or for another name, gets nothing"),
  },
  {
    name: "code loaded where no receiver is named",
    file: "src/programs/agent/outbox/notifications.ts",
    check: "if (areNamed() || opened !== undefined) await",
    instead: "await",
    test: {
      file: "test/programs/notifications.test.ts",
      title: "have nothing opened until a receiver is named",
    },
  },
];
