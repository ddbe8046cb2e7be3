import { randomBytes } from "node:crypto";
import { StewardError } from "../../contract/errors.ts";
import { providerReturnPath } from "../../contract/shapes.ts";
import type { BegunAtProvider, Input } from "../../contract/types.ts";
import type { Transfers, Uptime } from "../../host/ports.ts";
import type { SignInProvider } from "../../host/provider-ports.ts";
import type { RequestContext } from "../request-context.ts";
import { type StepUps, stepUpSeconds } from "../sessions/step-up.ts";
import { respondWithSession, type SessionResponseOptions } from "../sign-in/session-answer.ts";
import type { SignedIn } from "../sign-in/sign-in.ts";
import type { Throttle } from "../throttle/throttle.ts";
import { withThrottle } from "../throttle/with-throttle.ts";
import type { Person } from "../tokens/bearer.ts";
import type { ClientKey } from "../users/passwords.ts";
import type { KeptAccount } from "../users/provider-account.ts";
import { createFlows, type Flow, flowSeconds } from "./flows.ts";
import { type Claims, claimAt, displayNameOf, lackOf, roleOf, usernamesFor } from "./identity.ts";
import type { Provider, ProviderOptions } from "./provider.ts";
import { mostLogged, refusedAnswer, shown } from "./refusals.ts";

/** The parts of the address with which the browser came back: the token of its flow, and the query unchanged. */
type Returned = Input<"stepUpAtProvider">["body"];

/** Signs users in at the OpenID provider of the host file. Without one every operation throws `not_found`. */
export interface SingleSignOn {
  /** The provider's name; null: there is none. */
  readonly name: string | null;
  /**
   * `person`: the owner of the session to step up; null: a sign-in. Throws `clock_not_synchronised`,
   * `validation_failed`, `provider_unreachable` and `provider_refused`.
   */
  begin(origin: string, person: Person | null, context: RequestContext): Promise<BegunAtProvider>;
  /** Throws the errors of `begin`, and `role_missing`, `forbidden`, `username_taken` and `too_many_attempts`. */
  finish(returned: Returned, context: RequestContext): Promise<SignedIn & { kept: KeptAccount }>;
  /** Steps the session up, and returns the seconds that this lasts. Throws the errors of `finish`. */
  confirm(person: Person, returned: Returned, context: RequestContext): Promise<number>;
}

export interface SingleSignOnOptions extends SessionResponseOptions {
  readonly config: SignInProvider | null;
  readonly openTransfers: (config: SignInProvider) => Transfers;
  readonly readSecret: ProviderOptions["readSecret"];
  readonly throttle: Throttle;
  readonly stepUps: StepUps;
  readonly uptime: Uptime;
}

/** Answers of the provider that are checked at a time, of all clients and of one. Each takes several requests. */
const mostAtOnce = 4;
const mostOfOneClient = 3;
const wait = { details: { retryAfterSeconds: 1 } };
const busy = () => new StewardError("hashing_busy", "Others are signing in. Try again in a second.", wait);

export function createSingleSignOn(options: SingleSignOnOptions): SingleSignOn {
  const { config } = options;
  if (config === null) return noProvider;
  const flows = createFlows(options.uptime);
  let loaded: Promise<Provider> | undefined;
  const provider = () => (loaded ??= loadProvider(options, config));
  const parts: Parts = { ...options, config, flows, provider };
  const running: ClientKey[] = [];
  const checked = async (
    returned: Returned,
    context: RequestContext,
    person: Person | null,
  ): Promise<Claims> => {
    const { clientKey } = context;
    const own = running.filter((one) => one === clientKey);
    if (running.length >= mostAtOnce || own.length >= mostOfOneClient) throw busy();
    const parameters = new URLSearchParams(returned.query);
    const flow = flows.take(parameters.get("state") ?? "", returned.flow_token);
    if (flow === undefined) return refuseGuess(options.throttle, context);
    running.push(clientKey);
    try {
      return await claimsOf(parts, { flow, parameters }, person);
    } finally {
      running.splice(running.indexOf(clientKey), 1);
    }
  };
  return {
    name: config.name,
    begin: (origin, person, context) => begin(parts, origin, person, context),
    finish: async (returned, context) => {
      const claims = await checked(returned, context, null);
      return enter(parts, claims, context);
    },
    confirm: async (person, returned, context) => {
      const claims = await checked(returned, context, person);
      const { provider } = person.account;
      if (provider?.subject !== claims.sub || provider.issuer !== config.issuer)
        throw refusedAnswer("subject");
      await keep(parts, claims);
      options.stepUps.grant(person.session.id);
      return stepUpSeconds;
    },
  };
}

interface Parts extends SingleSignOnOptions {
  readonly config: SignInProvider;
  readonly flows: ReturnType<typeof createFlows>;
  readonly provider: () => Promise<Provider>;
}

/** Loads oauth4webapi as a part of its own, so that an agent without a provider never has it in memory. */
async function loadProvider(
  { openTransfers, readSecret, time, uptime }: SingleSignOnOptions,
  config: SignInProvider,
): Promise<Provider> {
  const { createProvider } = await import("./provider.ts");
  const { createProviderRequest } = await import("./provider-requests.ts");
  const origins = [new URL(config.issuer).origin, ...config.endpointOrigins];
  const request = createProviderRequest(openTransfers(config), origins);
  return createProvider({ config, request, readSecret, time, uptime });
}

const wrongOrigin = { pointer: "/origin", code: "enum", detail: "must be an origin of oidc.origins" };

async function begin(
  parts: Parts,
  origin: string,
  person: Person | null,
  { clientKey }: RequestContext,
): Promise<BegunAtProvider> {
  const { config, flows, provider, time, uptime } = parts;
  if (person !== null && person.account.provider === null)
    throw new StewardError("forbidden", "An account of this device steps up by POST /api/auth/reauth.");
  requireClock(parts);
  if (!config.origins.includes(origin)) {
    throw new StewardError(
      "validation_failed",
      `${config.name} sends users back to ${config.origins.join(", ")}, not to ${origin}. Open the console there, or sign in with an account of this device.`,
      { details: { errors: [wrongOrigin] } },
    );
  }
  const random = () => randomBytes(32).toString("base64url");
  const flow: Flow = {
    ...{ state: random(), nonce: random(), verifier: random() },
    redirectUri: `${origin}${providerReturnPath}`,
    sessionId: person?.session.id ?? null,
    ...{ epoch: time.epoch(), startedUptime: uptime() },
  };
  const authorization_url = await (await provider()).authorizationUrl(flow);
  return { authorization_url, flow_token: flows.open(flow, clientKey), expires_in: flowSeconds };
}

/** Only an unknown or used state counts, as a guess: one person's wrong passwords must not keep others behind a NAT out. */
function refuseGuess(throttle: Throttle, context: RequestContext): Promise<never> {
  return withThrottle(throttle, { name: null }, context, async () => {
    throw refusedAnswer("flow");
  });
}

/** Each flow ends with its first answer, whatever the answer is. */
async function claimsOf(
  { provider, time, ...parts }: Parts,
  { flow, parameters }: { flow: Flow; parameters: URLSearchParams },
  person: Person | null,
): Promise<Claims> {
  if (flow.sessionId !== (person?.session.id ?? null)) throw refusedAnswer("flow");
  requireClock({ ...parts, time });
  if (!time.isInEpoch(flow.epoch)) throw refusedAnswer("expired", "The clock was set meanwhile.");
  return (await provider()).claimsOf(flow, parameters);
}

async function enter(
  parts: Parts,
  claims: Claims,
  context: RequestContext,
): Promise<SignedIn & { kept: KeptAccount }> {
  const { accounts, sessions } = parts;
  const kept = await keep(parts, claims);
  const account = accounts.find(kept.account.id) ?? kept.account;
  if (!account.enabled) {
    throw new StewardError(
      "forbidden",
      `The account ${account.username} is disabled on this device. An administrator can enable it.`,
      { details: { about: { id: account.id, name: account.username } } },
    );
  }
  const opened = sessions.open(account.id, context);
  accounts.signedIn(account.id, undefined);
  const session = respondWithSession(parts, opened, accounts.find(account.id) ?? account);
  return { session, method: "provider", kept };
}

/** Keeps the account with the role of today's groups. A person without a role any more also loses the sessions. */
async function keep({ config, accounts, sessions }: Parts, claims: Claims): Promise<KeptAccount> {
  const identity = { issuer: config.issuer, subject: claims.sub };
  const role = roleOf(claims, config);
  if (role !== null) {
    const usernames = usernamesFor(claims, config);
    return accounts.keepProviderAccount({ identity, role, display_name: displayNameOf(claims), usernames });
  }
  const former = accounts.findByIdentity(identity);
  if (former) await sessions.endBecause(former.id, "role_missing");
  const name = shown(claimAt(claims, config.nameClaim) ?? claims.sub);
  const said = shown({ groups: claimAt(claims, config.groupClaim), claims: Object.keys(claims) }, mostLogged);
  const about = former && { about: { id: former.id, name: former.username } };
  throw new StewardError(
    "role_missing",
    `${config.name} has signed you in as ${name}, but ${lackOf(claims, config)}. An administrator of this device finds what came in its log.`,
    { details: { said, ...about } },
  );
}

/** A device that does not know the time cannot judge the times of an ID token. */
function requireClock({ time, config }: Pick<Parts, "time" | "config">): void {
  if (time.isTrusted()) return;
  throw new StewardError(
    "clock_not_synchronised",
    `The clock of this device is not trusted, so it cannot judge what ${config.name} says. Sign in with an account of this device, or correct the clock first.`,
    { details: { clock: time.describe({ isProven: false }) } },
  );
}

async function refuse(): Promise<never> {
  throw new StewardError(
    "not_found",
    "This device has no sign-in provider. Root can name one: member oidc of the host file.",
  );
}

const noProvider: SingleSignOn = { name: null, begin: refuse, finish: refuse, confirm: refuse };
