import { createSingleSignOn } from "../../../accounts/oidc/single-sign-on.ts";
import { originOf } from "../../../accounts/users/provider-account.ts";
import type { Host } from "../../../host/host.ts";
import { readClientSecret } from "../../../host/linux/host-file/client-secret.ts";
import type { SignInProvider } from "../../../host/provider-ports.ts";
import { createProviderHandlers } from "../../../http/handlers/provider.ts";
import type { RoomsConfig } from "../config.ts";
import type { SignInRooms } from "../wire-accounts.ts";

interface ProviderRooms {
  readonly config: RoomsConfig;
  readonly host: Pick<Host, "network">;
  readonly auth: SignInRooms;
}

/** The sign-in at a provider, over this host's own network. Sessions of a former provider end. */
export async function openProvider({ config, host, auth }: ProviderRooms) {
  const { oidc, build, product, credentialsDirectory } = config;
  if (!config.readsOnly) await endForeign(config, auth);
  const singleSignOn = createSingleSignOn({
    ...auth,
    config: oidc,
    readSecret: () =>
      readClientSecret(oidc ?? { clientSecretFile: null }, { own: oidc?.own, credentialsDirectory }),
    openTransfers: (provider: SignInProvider) =>
      host.network.openTransfers({
        ...provider,
        redirects: 0,
        userAgent: `Steward/${build.version} (${product.name})`,
      }),
  });
  return { handlers: createProviderHandlers(singleSignOn, auth.signIn, auth.events) };
}

async function endForeign({ oidc }: RoomsConfig, { accounts, sessions }: SignInRooms): Promise<void> {
  for (const account of accounts.all())
    if (originOf(account, oidc?.issuer ?? null) === "former_provider")
      await sessions.endBecause(account.id, "former_provider");
}
