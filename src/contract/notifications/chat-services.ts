/** Chat services by name and addresses that are no other's. Mattermost and Rocket.Chat take the form of Slack. */
export const chatServices = {
  slack: { name: "Slack", address: /^https:\/\/hooks\.slack(-gov)?\.com\/services\// },
  discord: {
    name: "Discord",
    // An address that ends in /slack takes the form of Slack.
    address: /^https:\/\/((canary|ptb)\.)?discord(app)?\.com\/api\/(v\d+\/)?webhooks\/\d+\/[^/?]+(\?|$)/,
  },
  teams: {
    name: "Microsoft Teams",
    address: /^https:\/\/[^/?]+\.(logic\.azure|api\.powerplatform)\.com(:443)?\/([^?]*\/)?workflows\//,
  },
  ntfy: {
    ...{ name: "ntfy", address: /^https:\/\/ntfy\.sh\/[-\w]+\/?(\?|$)/ },
    /** The beginning of the header that a token is sent in. */
    token: "Authorization: Bearer ",
  },
  gotify: {
    ...{ name: "Gotify", address: /^https?:\/\/[^?]+\/message\?token=(gtfy)?A[-.\w]{14,}$/ },
    token: "X-Gotify-Key: ",
  },
} as const;

export type ChatService = keyof typeof chatServices;

export const chatServiceNames = Object.keys(chatServices) as ChatService[];

/** The kind by which messages are written: of a webhook whose address is a chat service's own, that service. */
export function kindOf<Kind extends string>({
  kind,
  url = "",
}: {
  readonly kind: Kind;
  readonly url?: string;
}): Kind | ChatService {
  return chatServiceNames.find((name) => chatServices[name].address.test(url)) ?? kind;
}

export function isChatService(kind: string): kind is ChatService {
  return kind in chatServices;
}

/** The beginning of the header in which a receiver of this kind gets a token; undefined: it takes none. */
export function tokenHeader(kind: string): string | undefined {
  const row = isChatService(kind) ? chatServices[kind] : null;
  return row && "token" in row ? row.token : undefined;
}
