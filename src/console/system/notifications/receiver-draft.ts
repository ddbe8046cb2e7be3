import { kindOf } from "../../../contract/notifications/chat-services.ts";
import type { Settings } from "../../../contract/types.ts";

export type ReceiverSettings = Settings["notify"]["receivers"][number];

/** A receiver under edit: the texts of its fields. */
export interface TypedReceiver
  extends Readonly<Record<"name" | "url" | "server" | "port" | "username" | "from", string>> {
  readonly kind: ReceiverSettings["kind"];
  readonly takes: ReceiverSettings["takes"];
  readonly security: NonNullable<ReceiverSettings["security"]>;
  /** One address a line. */
  readonly to: string;
  /** `keep`: the secret stays; `make`: the device makes one; `paste`: the receiver's own one is given. */
  readonly secretChoice: "keep" | "make" | "paste";
  /** The pasted secret of a webhook, the password of a mail server, or the token of a chat service. */
  readonly secret: string;
}

/** RFC 6409 and RFC 8314: the ports for submission with STARTTLS and with TLS from the start. */
const usualPorts = { starttls: "587", tls: "465" } as const;

/** The fields of a receiver; null: of a new one. */
export function typedReceiver(receiver: ReceiverSettings | null, isSecretSet: boolean): TypedReceiver {
  const { port = usualPorts.starttls, to = [], ...given } = receiver ?? {};
  return {
    name: "",
    takes: "all",
    url: "",
    server: "",
    security: "starttls",
    username: "",
    from: "",
    secret: "",
    secretChoice: isSecretSet ? "keep" : "make",
    ...given,
    kind: receiver === null ? "webhook" : kindOf(receiver),
    port: String(port),
    to: to.join("\n"),
  };
}

/** The change to another security, with its usual port where the present port is the usual one of the other. */
export function withSecurity(
  { port, security: before }: TypedReceiver,
  security: TypedReceiver["security"],
): Partial<TypedReceiver> {
  return { security, port: port === usualPorts[before] ? usualPorts[security] : port };
}

/** The receiver to send: the members of its kind. An empty one is absent, so that the agent says that it is needed. */
export function receiverTyped(typed: TypedReceiver): ReceiverSettings {
  const { name, kind, takes, url, server, port, security, username, from } = typed;
  const to = typed.to.split(/[\s,;]+/).filter((one) => one !== "");
  const ofKind =
    kind === "mail"
      ? {
          server: server.trim(),
          port: portTyped(port.trim()),
          security,
          username: username.trim(),
          from: from.trim(),
          to,
        }
      : { url: url.trim() };
  const members = { name: name.trim(), kind, takes, ...ofKind };
  return Object.fromEntries(
    // An empty list is an empty text as well.
    Object.entries(members).filter(([, value]) => String(value) !== ""),
  ) as unknown as ReceiverSettings;
}

/** A text that is not a number stays as it is: the agent refuses it. */
function portTyped(text: string): unknown {
  return /^\d{1,15}$/.test(text) ? Number(text) : text;
}

/** The change to another address, and to the chat service that it is of. */
export function withUrl(typed: TypedReceiver, url: string): Partial<TypedReceiver> {
  return { url, kind: kindOf({ kind: typed.kind, url: url.trim() }) };
}

/** True: the stored secret is not for this server and user name, so that it must be given again. */
export function isSecretLost(receiver: ReceiverSettings | null, typed: TypedReceiver): boolean {
  if (receiver === null) return false;
  const of = ({ url = "", server, port, username }: ReceiverSettings) =>
    String([/^[^/]*\/*[^/?]*/.exec(url), server, port, username]);
  return of(receiver) !== of(receiverTyped(typed));
}
