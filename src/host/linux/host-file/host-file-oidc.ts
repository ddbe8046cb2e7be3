import { isAbsolute } from "node:path";
import { roleNames } from "../../../contract/shapes.ts";
import type { SignInProvider } from "../../provider-ports.ts";
import type { Refuse } from "./host-file-apply.ts";

/** The member `oidc` of the host file; null: absent. Throws what `refuse` makes. */
export function checkedOidc(oidc: unknown, refuse: Refuse): SignInProvider | null {
  if (oidc === undefined) return null;
  if (typeof oidc !== "object" || oidc === null || Array.isArray(oidc))
    throw refuse("has an oidc that is not an object");
  const members: Record<string, unknown> = { ...oidc };
  const { name, issuer, client_id, client_secret_file, origins, scopes, group_claim, ...more } = members;
  const { roles, name_claim, ca_file, endpoint_origins = [], allow_local_servers = false, ...others } = more;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw refuse(`has a member "oidc.${unknown}" that is not known`);
  if (typeof allow_local_servers !== "boolean")
    throw refuse("oidc.allow_local_servers must be true or false");
  return {
    issuer: checkedIssuer(issuer, refuse),
    clientId: checkedText("client_id", client_id, undefined, refuse),
    name: checkedText("name", name, "single sign-on", refuse),
    clientSecretFile: checkedFile("client_secret_file", client_secret_file, refuse),
    origins: checkedOrigins("origins", origins, refuse),
    scopes: checkedScopes(scopes, refuse),
    groupClaim: checkedText("group_claim", group_claim, "groups", refuse),
    roles: checkedRoles(roles, refuse),
    nameClaim: checkedText("name_claim", name_claim, "preferred_username", refuse),
    caFile: checkedFile("ca_file", ca_file, refuse),
    endpointOrigins:
      Array.isArray(endpoint_origins) && endpoint_origins.length === 0
        ? []
        : checkedOrigins("endpoint_origins", endpoint_origins, refuse),
    allowLocalServers: allow_local_servers,
  };
}

/** OpenID Connect Discovery 1.0 §3: https, without a query or a fragment. */
function checkedIssuer(issuer: unknown, refuse: Refuse): string {
  const url = typeof issuer === "string" && URL.canParse(issuer) ? new URL(issuer) : undefined;
  const isPlain = url?.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (typeof issuer === "string" && url?.protocol === "https:" && isPlain && !/[?#]/.test(issuer))
    return issuer;
  throw refuse(
    `has ${JSON.stringify(issuer)} as oidc.issuer: it must be an https address such as https://id.example.com/realms/plant`,
  );
}

/** A text of up to 128 printable characters. */
function checkedText(name: string, text: unknown, usual: string | undefined, refuse: Refuse): string {
  const given = text === undefined ? usual : text;
  if (typeof given === "string" && /^[^\p{Cc}\p{Cf}]{1,128}$/u.test(given) && given.trim() === given)
    return given;
  throw refuse(
    `has ${JSON.stringify(given)} as oidc.${name}: it must be a text of up to 128 characters, without control characters`,
  );
}

function checkedFile(name: string, path: unknown, refuse: Refuse): string | null {
  if (path === undefined) return null;
  if (typeof path === "string" && isAbsolute(path) && !path.includes("\0")) return path;
  throw refuse(`has ${JSON.stringify(path)} as oidc.${name}: it must be an absolute path`);
}

/** Plain http on loopback alone, where the agent answers it. */
function checkedOrigins(name: string, origins: unknown, refuse: Refuse): string[] {
  if (!Array.isArray(origins) || origins.length === 0 || origins.length > 16)
    throw refuse(`oidc.${name} must be a list of 1 to 16 origins such as https://edge-7.example.net:8443`);
  return origins.map((origin: unknown) => {
    const url = typeof origin === "string" && URL.canParse(origin) ? new URL(origin) : undefined;
    const isLoopback = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url?.hostname ?? "");
    const isSafe = url?.protocol === "https:" || (url?.protocol === "http:" && isLoopback);
    if (isSafe && name === "endpoint_origins" && url.protocol === "http:") throw plain(name, origin, refuse);
    if (isSafe && (origin === url.origin || origin === `${url.origin}/`)) return url.origin;
    throw plain(name, origin, refuse);
  });
}

function plain(name: string, origin: unknown, refuse: Refuse): Error {
  return refuse(
    `has ${JSON.stringify(origin)} in oidc.${name}: it must be an https origin such as https://edge-7.example.net:8443`,
  );
}

/** RFC 6749 §3.3; `openid` makes it OpenID Connect. */
function checkedScopes(scopes: unknown = ["openid", "profile", "groups"], refuse: Refuse): string[] {
  const isList = Array.isArray(scopes) && scopes.length <= 16;
  if (isList && scopes.includes("openid") && scopes.every(isScope)) return scopes;
  throw refuse("oidc.scopes must be a list of up to 16 scopes, openid among them");
}

function isScope(scope: unknown): scope is string {
  return typeof scope === "string" && /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/.test(scope);
}

function checkedRoles(roles: unknown, refuse: Refuse): SignInProvider["roles"] {
  const wanted =
    'oidc.roles must say which groups give which role, such as {"operator": ["plant-operators"]}';
  if (typeof roles !== "object" || roles === null || Array.isArray(roles)) throw refuse(wanted);
  const members: Record<string, unknown> = { ...roles };
  const unknown = Object.keys(members).find((role) => !roleNames.some((name) => name === role));
  if (unknown !== undefined) throw refuse(`has a member "oidc.roles.${unknown}" that is not known`);
  const groupsOf = (role: (typeof roleNames)[number]): string[] => {
    const groups = members[role] ?? [];
    if (!Array.isArray(groups) || groups.length > 64) throw refuse(wanted);
    return groups.map((group: unknown) => {
      if (typeof group === "string" && group !== "" && group.length <= 256) return group;
      throw refuse(`has ${JSON.stringify(group)} in oidc.roles.${role}: it must be the name of a group`);
    });
  };
  const checked = {
    admin: groupsOf("admin"),
    operator: groupsOf("operator"),
    readonly: groupsOf("readonly"),
  };
  if (Object.values(checked).every((groups) => groups.length === 0)) throw refuse(wanted);
  return checked;
}
