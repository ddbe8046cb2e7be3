import { useState } from "preact/hooks";
import type { HostSettings, Settings } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call, callWithTag } from "../../client/call.ts";
import { greet } from "../../client/connection.ts";
import { codeOf } from "../../client/problem.ts";
import { type Resource, useResource } from "../../client/use-resource.ts";
import { useUnsaved } from "../../navigation/use-unsaved.ts";
import { keptEntries } from "../../session/reload.ts";
import { isOneOf } from "../../session/session.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { errorAt, Form, useForm } from "../../ui/form/form.tsx";
import { ZoneField } from "../../ui/form/zone-field.tsx";
import { Facts, Pending, Section } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { isolated, visible } from "../../ui/visible.ts";

const ofSettings = ["name", "location", "contact"] as const;

const ofHost = ["host_name", "time_zone"] as const;

type Name = (typeof ofSettings)[number] | (typeof ofHost)[number];

type Values = Readonly<Record<Name, string>>;

/** The text typed into a field, and the device's value at that time. */
interface Change {
  readonly value: string;
  readonly over: string;
}

/** The names of the device, its place and its contact, each edited where it is shown; and all that tells it from others on a sheet. */
export function Identity({ asked, onSheet }: { readonly asked: string; readonly onSheet: () => void }) {
  const settings = useResource("getSettings");
  const host = useResource("getHost");
  const values = settings.value && host.value && valuesOf(settings.value, host.value);
  return (
    <Section title={t.machine.identity} action={<Button onClick={onSheet}>{t.print.sheet}</Button>}>
      <ReadProblem of={[settings, host]} />
      {values === null ? (
        <Pending of={{ error: settings.error ?? host.error }} lines={5} />
      ) : isOneOf("readonly") ? (
        <Facts items={shownNames(values)} />
      ) : (
        <NamesForm settings={settings} host={host} asked={asked} base={values} />
      )}
    </Section>
  );
}

function valuesOf({ device: { name, location, contact } }: Settings, host: HostSettings): Values {
  const { host_name, time_zone } = host;
  return { name, location, contact, host_name, time_zone };
}

/** The contact is not for every reader. */
function shownNames(values: Values) {
  return (["name", "location", ...ofHost] as const).map(
    (name) => [t.machine.fields[name], <bdi key={name}>{visible(values[name]) || "–"}</bdi>] as const,
  );
}

interface FormProps {
  readonly settings: Resource<Settings>;
  readonly host: Resource<HostSettings>;
  readonly base: Values;
  /** The field that the address asks for; another word: none. */
  readonly asked: string;
}

function NamesForm({ settings, host, base, asked }: FormProps) {
  const { typed, changes, change, forget } = useChanges(base);
  const changed = [...ofSettings, ...ofHost].filter((name) => typed[name].trim() !== base[name]);
  const isChanged = changed.length > 0;
  useUnsaved(isChanged, { name: formName, entries: () => changes });
  const form = useForm<Values>(base, async () => {
    await save({ settings, host }, typed, changed);
    forget();
    toast(t.ui.saved);
  }, [typed, change]);
  const field = (name: Name) => ({
    ...form.field(name),
    label: t.machine.fields[name],
    hint: hintOf(name, changes[name], base[name]),
  });
  const discard = (): void => {
    forget();
    form.forget();
  };
  return (
    <Form
      form={form}
      verb={t.ui.save}
      isReady={isChanged}
      others={isChanged && <Button onClick={discard}>{t.machine.discard}</Button>}
    >
      <div class="machine-names">
        {ofSettings.map((name) => (
          <div key={name} data-asked={name}>
            <TextField
              {...field(name)}
              error={errorAt(form.error, `/device/${name}`) && t.machine.oneLine}
              maxLength={64}
            />
          </div>
        ))}
        {isOneOf("admin") ? (
          <>
            <TextField
              {...field("host_name")}
              maxLength={63}
              spellcheck={false}
              isFirst={asked === "host_name"}
            />
            <ZoneField {...field("time_zone")} present={base.time_zone} isFirst={asked === "time_zone"} />
          </>
        ) : (
          <Facts items={shownNames(base).slice(-ofHost.length)} />
        )}
      </div>
    </Form>
  );
}

/** The name of the form where its entries are kept over a reload. */
const formName = "device";

type Changes = Partial<Record<Name, Change>>;

/** The texts typed over the device's values, which may change meanwhile. */
function useChanges(base: Values) {
  const [changes, setChanges] = useState(() => keptEntries<Changes>(formName) ?? {});
  const typed: Record<Name, string> = { ...base };
  for (const [name, { value }] of Object.entries(changes)) typed[name as Name] = value;
  return {
    changes,
    typed,
    change: (given: Partial<Values>): void =>
      setChanges((before) => {
        const next = { ...before };
        for (const [name, value] of Object.entries(given) as [Name, string][])
          next[name] = { value, over: before[name]?.over ?? base[name] };
        return next;
      }),
    forget: () => setChanges({}),
  };
}

function hintOf(name: Name, change: Change | undefined, base: string) {
  const hint = (t.machine.hints as Partial<Record<Name, string>>)[name];
  const isOthers = change !== undefined && change.over !== base && change.value.trim() !== base;
  return isOthers ? (
    <>
      {hint} <strong>{t.machine.meanwhile(isolated(base || "–"))}</strong>
    </>
  ) : (
    hint
  );
}

/** Sends the names that differ. Those saved before a refusal are no longer changes. */
async function save(
  { settings, host }: Pick<FormProps, "settings" | "host">,
  typed: Values,
  changed: readonly Name[],
): Promise<void> {
  const changesOf = (names: readonly Name[]) =>
    Object.fromEntries(
      names.filter((name) => changed.includes(name)).map((name) => [name, typed[name].trim()]),
    );
  const device = changesOf(ofSettings);
  const ofMachine = changesOf(ofHost);
  try {
    if (Object.keys(device).length > 0) {
      const options = { ifMatch: settings.etag };
      const { value, etag } = await callWithTag("updateSettings", { body: { device } }, options);
      settings.put(value, etag);
    }
    if (Object.keys(ofMachine).length > 0) host.put(await call("changeHost", { body: ofMachine }));
  } catch (error) {
    // Others have changed the settings: the fields say so, and the next attempt is over their values.
    if (codeOf(error) === "etag_mismatch") await settings.reload();
    throw error;
  }
  // The head of the page and the window's title have the name.
  await greet();
}
