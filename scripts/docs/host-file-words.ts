import type { HostFile } from "../../src/host/linux/host-file/host-file.ts";
import type { UpdateDecisions } from "../../src/host/linux/host-file/host-file-update.ts";
import type { ApplyPlan, HealthPlan } from "../../src/host/release-ports.ts";

/** One member of the host file: its place, and what it decides. */
export interface Member {
  readonly path: string;
  readonly words: string;
  /** A value that the agent accepts, for the test that gives it one. */
  readonly example: unknown;
}

type Members<T> = Readonly<Record<keyof T, readonly Member[]>>;

// Each type is that of the parsed file: a member that is added there does not compile without its words here.

const top: Members<Omit<HostFile, "update">> = {
  names: [
    {
      path: "names",
      words:
        "Host names that the device answers to besides its own, `NAME.local`, its addresses and localhost. Any other `Host` header gets 421",
      example: ["edge-7.example.net"],
    },
  ],
  trustedProxies: [
    {
      path: "trusted_proxies",
      words: "Addresses and ranges of proxies whose `X-Forwarded-For` and `X-Forwarded-Proto` are believed",
      example: ["10.0.0.2", "fd00:1::/64"],
    },
  ],
  https: [
    {
      path: "https.enabled",
      words: "true: HTTPS on the LAN. `steward tls enable` writes it. Default: false",
      example: true,
    },
    {
      path: "https.port",
      words: "Its port. Below 1024 the agent needs a right that its unit does not give it. Default: 8443",
      example: 8443,
    },
    {
      path: "https.address",
      words: "The only address of the device that it listens on. Default: all",
      example: "192.0.2.7",
    },
    {
      path: "https.hsts",
      words:
        "Tell browsers to use this name by HTTPS alone for a year, while an installed certificate is shown. Default: `false`",
      example: false,
    },
    {
      path: "https.redirect_port",
      words: "A port for plain HTTP on the LAN, which answers nothing but a redirect to HTTPS. Default: none",
      example: 8080,
    },
  ],
  logUnits: [
    {
      path: "log_units",
      words: "systemd units, besides the agent's own, whose log can be read through the agent",
      example: ["nginx.service"],
    },
  ],
  product: [
    {
      path: "product",
      words: "The product that this device runs, as releases name it. Default: `steward`",
      example: "pump-7",
    },
  ],
  kernelRescue: [
    {
      path: "kernel_rescue",
      words:
        "false: `steward.rescue=1` on the kernel's command line prints no setup token on the first terminal. Default: true",
      example: false,
    },
  ],
  oidc: [
    {
      path: "oidc.issuer",
      words: "The OpenID provider that users can sign in at, as its discovery document calls it",
      example: "https://id.example.com/realms/plant",
    },
    { path: "oidc.client_id", words: "The name of this device there", example: "edge-7" },
    {
      path: "oidc.client_secret_file",
      words:
        "File with the secret of this device there, `root:steward` 0640; the systemd credential `steward.oidc` comes first. Without both: a public client, which PKCE protects",
      example: "/etc/steward/oidc-secret",
    },
    {
      path: "oidc.origins",
      words:
        "Origins of this device that the provider may send browsers back to, to the path `/oidc`. The provider must know the same",
      example: ["https://edge-7.example.net:8443"],
    },
    {
      path: "oidc.roles",
      words:
        "Which groups give which role: `admin`, `operator`, `readonly`. Users who are in none of them are refused",
      example: { admin: ["plant-admins"], operator: ["plant-operators"] },
    },
    {
      path: "oidc.group_claim",
      words: "The claim that has a user's groups. Default: `groups`",
      example: "roles",
    },
    {
      path: "oidc.name_claim",
      words: "The claim that the name of a new account is made of. Default: `preferred_username`",
      example: "email",
    },
    {
      path: "oidc.scopes",
      words: "Scopes that are asked for. Default: `openid`, `profile` and `groups`",
      example: ["openid", "profile"],
    },
    {
      path: "oidc.name",
      words: "What the button of the console calls the provider. Default: `single sign-on`",
      example: "Example Works",
    },
    {
      path: "oidc.ca_file",
      words: "PEM file with certificate authorities that the provider may use besides the public ones",
      example: "/etc/steward/branch-ca.pem",
    },
    {
      path: "oidc.endpoint_origins",
      words: "Origins besides the issuer's own that its endpoints may have",
      example: ["https://keys.example.com"],
    },
    {
      path: "oidc.allow_local_servers",
      words: "true: the provider may be at a loopback or link-local address. Default: false",
      example: true,
    },
  ],
  supportUntil: [
    {
      path: "support_until",
      words:
        "The last day of the maker's support, such as `2031-12-31`. `steward status` and the console report it from 90 days before",
      example: "2031-12-31",
    },
  ],
};

const update: Members<Omit<UpdateDecisions, "apply">> = {
  caFile: [
    {
      path: "update.ca_file",
      words:
        "PEM file with certificate authorities that update servers may use besides the public ones. Root must own it, like the host file",
      example: "/etc/steward/branch-ca.pem",
    },
  ],
  proxy: [
    {
      path: "update.proxy",
      words: "Proxy for connections to update servers: `http://host:port`",
      example: "http://proxy.example.net:3128",
    },
  ],
  allowLocalServers: [
    {
      path: "update.allow_local_servers",
      words: "true: loopback and link-local addresses may be update servers. Default: false",
      example: true,
    },
  ],
  redirectOrigins: [
    {
      path: "update.redirect_origins",
      words: "Origins, such as a CDN's, that an update server may redirect to",
      example: ["https://cdn.example.net"],
    },
  ],
  channels: [
    {
      path: "update.channels",
      words:
        "Channels that releases may be of. A setting with another channel is refused with `409 pinned_by_host`. Default: any",
      example: ["stable"],
    },
  ],
};

const plan: Members<Omit<ApplyPlan, "health">> = {
  unit: [
    {
      path: "unit",
      words:
        "A service. Rules make it reload (or restart, if it cannot reload); a binary makes it restart. It must be active to count as healthy",
      example: "pump.service",
    },
  ],
  activate: [
    {
      path: "activate",
      words:
        "A program with arguments that puts the release to work instead of the unit, within 60 s. Without systemd this is the only way. A binary needs `activate` or `unit`",
      example: ["{release}/activate"],
    },
  ],
  selfTest: [
    {
      path: "self_test",
      words:
        "A program that tests the release before the switch, as a user without rights and without network",
      example: ["{release}/check", "{release}"],
    },
  ],
};

const health: Members<HealthPlan> = {
  http: [
    {
      path: "health.http",
      words:
        "Up to 8 checks `{url, status, version_member}` of addresses of the device itself (`http://127.…`, `http://[::1]…`). Each must answer within 5 s with `status` (default 200). `version_member` names the member of the JSON answer that must be the release's version",
      example: [{ url: "http://127.0.0.1:9000/health", status: 200, version_member: "version" }],
    },
  ],
  command: [
    {
      path: "health.command",
      words: "A program that must end with exit code 0 within 10 s",
      example: ["{release}/healthy"],
    },
  ],
  successes: [
    {
      path: "health.successes",
      words: "Healthy checks in a row that are needed, 1 to 100. Default: 6",
      example: 6,
    },
  ],
  intervalSeconds: [
    {
      path: "health.interval",
      words: "Time between two checks, `100ms` to `1m`. Default: `5s`",
      example: "5s",
    },
  ],
  withinSeconds: [
    {
      path: "health.within",
      words: "Time after the switch within which the release must be healthy, up to `60m`. Default: `5m`",
      example: "5m",
    },
  ],
};

/** The members of the file itself and of `update`, in the order in which they are explained. */
export const hostFileMembers: readonly Member[] = [
  ...Object.values(top).flat(),
  ...Object.values(update).flat(),
];

/** The members of `update.rules` and of `update.binary`. */
export const planMembers: readonly Member[] = [
  ...Object.values(plan).flat(),
  ...Object.values(health).flat(),
];
