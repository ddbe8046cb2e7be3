import { isChatService, kindOf } from "../../../contract/notifications/chat-services.ts";
import { settings as settingsSchema } from "../../../contract/schemas/settings.ts";
import type { Settings } from "../../../contract/types.ts";
import { type Receiver, retry } from "../../../outbox/receiver.ts";
import type { ReceiverSecrets } from "../../../outbox/receiver-secrets.ts";
import { secretsOf } from "../../../store/validation/secrets.ts";
import type { OutboxPlan } from "./outbox-plan.ts";
import { withoutRepeatedSecrets } from "./repeated-secrets.ts";

type ReceiverSettings = Settings["notify"]["receivers"][number];

/**
 * Makes receivers of the settings, each with the code of its kind only. A receiver whose settings and secret are the same as
 * before is the same one, which keeps to its pauses and remembers which mails it sent.
 */
export function createReceiverMaker(
  plan: OutboxPlan,
  secrets: ReceiverSecrets,
): (settings: ReceiverSettings) => Promise<Receiver> {
  const made = new Map<string, { readonly of: string; readonly receiver: Promise<Receiver> }>();
  return (settings) => {
    const secret = secrets.of(settings);
    const isLost = secret === null && (secrets.isSet(settings) || kindOf(settings) === "webhook");
    const { takes: _, ...destination } = settings;
    const of = JSON.stringify([destination, secret, isLost]);
    const known = made.get(settings.name);
    if (known?.of === of) return known.receiver;
    const make = settings.kind === "mail" ? mailOf : isLost ? withoutSecret : webhookOf;
    const own = [...secretsOf(settingsSchema, { notify: { receivers: [settings] } }), secret ?? ""];
    const receiver = make(plan, settings, secret).then((one) => withoutRepeatedSecrets(one, () => own));
    made.set(settings.name, { of, receiver });
    // Its code could not be loaded: its file is being replaced.
    receiver.catch(() => made.delete(settings.name));
    return receiver;
  };
}

async function webhookOf(
  { config, host }: OutboxPlan,
  { kind, url = "" }: ReceiverSettings,
  secret: string | null,
): Promise<Receiver> {
  const { createWebhook } = await import("../../../outbox/webhook.ts");
  const by = kindOf({ kind, url });
  const transfers = host.network.openTransfers({
    ...config.notify,
    redirects: null,
    userAgent: `Steward/${config.build.version} (${config.product.name})`,
  });
  const service = isChatService(by) ? by : null;
  const { allowHttp } = config.notify;
  return createWebhook({ url, service, secret, transfers, allowHttp, wall: host.time.wall });
}

async function mailOf(
  { config, host }: OutboxPlan,
  { server = "", port = 0, security = "tls", username, from = "", to = [] }: ReceiverSettings,
  password: string | null,
): Promise<Receiver> {
  const { createMail } = await import("../../../outbox/mail.ts");
  const { wall, uptime } = host.time;
  const connections = host.network.openConnections(config.notify);
  return createMail({
    server,
    port,
    security,
    password,
    from,
    to,
    connections,
    wall,
    uptime,
    username: username ?? null,
    hostName: () => host.identity.hostname,
  });
}

/** Says at each attempt what is missing; messages wait until it is there. */
async function withoutSecret(_: OutboxPlan, { name }: ReceiverSettings): Promise<Receiver> {
  const error =
    `${name} has no secret, or its secret is of another server or another machine. ` +
    `Set it: steward notify secret ${name}`;
  return { deliver: async () => retry(error) };
}
