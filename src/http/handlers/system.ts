import { StewardError } from "../../contract/errors.ts";
import { operations } from "../../contract/operations.ts";
import { settings as settingsSchema } from "../../contract/schemas/settings.ts";
import type { ConsoleGreeting, Settings, SettingsChange, Tls, Version } from "../../contract/types.ts";
import type { Damage } from "../../store/documents/register.ts";
import type { ReadFacts } from "../../system/facts.ts";
import type { Machine } from "../../system/machine.ts";
import { changedSettings } from "../../system/settings/changes.ts";
import type { SettingsStore } from "../../system/settings/settings.ts";
import type { MakeSupportBundle } from "../../system/support-bundle.ts";
import { requireStepUp } from "../authorise.ts";
import { type Call, form, type Handlers, writingRole } from "../call.ts";
import { isFromDevice } from "../hosts.ts";
import type { AccountRooms } from "./account-rooms.ts";
import { refuse, wrongRescueToken } from "./setup.ts";

interface SystemHandlersOptions {
  settings: SettingsStore;
  /** Path of the OpenAPI document, which the build has written. */
  apiDocument: string;
  readFacts: ReadFacts;
  /** Loads the code for support bundles, which most agents never need. */
  openSupportBundle: () => Promise<MakeSupportBundle>;
  /** `isDetailed` for callers who are known. */
  version: (isDetailed: boolean) => Version;
  greet: () => ConsoleGreeting;
  /** Removes the findings of a document and returns them; there may be none. */
  acceptFindings: (document: string) => Promise<readonly Damage[]>;
  tls: () => Promise<Tls>;
  machine: Pick<Machine, "enableHttps">;
  /** The ways by which root lets people in. */
  root: Pick<AccountRooms, "rescueToken" | "setUpNow" | "throttle">;
  /** Reads the host file again. Throws `validation_failed`. Undefined if no agent uses it. */
  reload: (() => Promise<Reread>) | undefined;
  settingsChanged: (names: readonly string[]) => void;
}

/** The result of another reading of the host file. */
export interface Reread {
  /** Members whose new values are in use. */
  readonly changed: readonly string[];
  /** Members whose new values wait for a restart. */
  readonly needsRestart: readonly string[];
}

export function createSystemHandlers(options: SystemHandlersOptions) {
  const { settings } = options;
  return {
    getVersion: ({ actor }) => options.version(actor.kind !== "anonymous"),
    getOpenApi: () => ({ path: options.apiDocument }),
    greetConsole: () => options.greet(),
    getSettings: ({ actor }) => settings.view(writingRole(actor)),
    updateSettings: form(
      (call: Call<"updateSettings">) => updateSettings(options, call),
      (sound: SettingsChange) => settings.faultsOf(sound),
    ),
    acceptDamage: async ({ params: { name }, note }) => {
      const accepted = await options.acceptFindings(name);
      if (accepted.length === 0)
        throw new StewardError(
          "not_found",
          `The document "${name}" has no finding: see \`steward state list\`.`,
        );
      const damages = accepted.map(({ damage = "unrecorded" }) => damage);
      note({ details: { document: name, damages, findings: accepted.map(({ detail }) => detail) } });
      return { accepted: accepted.map(({ document, at, detail }) => ({ document, at, detail })) };
    },
    getTls: () => options.tls(),
    enableTls: (call) => enableTls(options, call),
    reloadHostFile: async ({ note }) => {
      const { changed = [], needsRestart = [] } = (await options.reload?.()) ?? {};
      const found = { changed: [...changed], needs_restart: [...needsRestart] };
      note({ details: found });
      return { ...found, tls: await options.tls() };
    },
    getSettingsSchema: () => settingsSchema,
    getSystemFacts: () => options.readFacts(),
    makeSupportBundle: async () => {
      const archive = await (await options.openSupportBundle())();
      return { pieces: onePiece(archive) };
    },
  } satisfies Partial<Handlers>;
}

/** docs/design/threat-model.md, "HTTPS from the browser". */
async function enableTls(
  { tls, machine, root }: SystemHandlersOptions,
  call: Call<"enableTls">,
): Promise<Tls> {
  const { actor, context, headers = {}, body, note } = call;
  const before = await tls();
  note({ isUnchanged: before.enabled });
  if (before.enabled) return before;
  if (before.enabling === "decided") throw new StewardError("pinned_by_host", rootsNo);
  const isSetUpNow = actor.kind === "user" && root.setUpNow.get(actor.account.id) === true;
  const isHere = actor.kind === "local-root" || isFromDevice(headers, context.address);
  const because = isHere ? "from_device" : isSetUpNow ? "after_setup" : "token_of_root";
  // Root's command also fails where HTTPS is on, and cannot listen: the answer says why.
  const judge = async (error: unknown) => (await tls()).enabled || Promise.reject(error);
  const ask = () => machine.enableHttps().then(() => true, judge);
  if (because !== "token_of_root") await ask();
  else if (body.setup_token === undefined) throw new StewardError("setup_token_required", notHere);
  else if (!(await root.rescueToken.use(body.setup_token, ask))) await refuse(root, call, wrongRescueToken);
  note({ details: { because } });
  return tls();
}

const rootsNo =
  "Root has switched HTTPS off in the host file, and so switches it on: steward tls enable. Nothing was changed.";

const notHere =
  "This request does not come from the device itself, so it needs a token of root's: `steward setup-token --rescue` on the device prints one. Nothing was changed.";

async function* onePiece(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

async function updateSettings(
  { settings, settingsChanged }: SystemHandlersOptions,
  { actor, body, ifMatch, note }: Call<"updateSettings">,
): Promise<Settings> {
  const isFleetToken = actor.kind === "token" && actor.token.is_fleet;
  const writer = {
    role: writingRole(actor),
    isLocalRoot: actor.kind === "local-root",
    scope: actor.kind === "token" ? operations.updateSettings.scope : undefined,
    requireStepUp: () => (isFleetToken ? undefined : requireStepUp(actor)),
  };
  let before = settings.read();
  const after = await settings.change(body, writer, (present) => {
    before = present;
    ifMatch(settings.view(writer.role, present));
  });
  // Only names: not every role may see the values.
  const changed = changedSettings(before, after);
  note({ details: { changed }, isUnchanged: after === before });
  if (changed.length > 0) settingsChanged(changed);
  return settings.view(writer.role, after);
}
