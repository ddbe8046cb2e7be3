import { type TimeServerEntry, timeServerText } from "../../contract/clock/time-server.ts";
import type { HostSettings, Settings, SettingsChange, TimeSync } from "../../contract/types.ts";
import { language, languageName, languages, t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { greet } from "../client/connection.ts";
import { useResource } from "../client/use-resource.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { SelectField, TextField } from "../ui/form/field.tsx";
import { errorAt, Form, useForm } from "../ui/form/form.tsx";
import { ZoneField } from "../ui/form/zone-field.tsx";
import { zoneOfBrowser } from "../ui/form/zones.ts";
import { Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { Hint, StepButtons, type StepProps, saveSettings, useKept, useTheirs } from "./step.tsx";
import { TimeServers } from "./time-servers.tsx";
import { namedServers } from "./use-probe.ts";

interface Typed {
  readonly name: string;
  readonly zone: string;
  readonly language: string;
  readonly servers: readonly TimeServerEntry[];
}

/** The device's name, language, time zone and time servers. */
export function DeviceStep(props: StepProps) {
  const host = useResource("getHost");
  const clock = useResource("getTimeSync");
  const { settings } = props;
  if (host.value === null || clock.value === null || settings.value === null) {
    const error = host.error ?? clock.error;
    return error ? <ProblemView error={error} /> : <Skeleton lines={8} />;
  }
  return (
    <DeviceForm {...props} base={settings.value} host={host.value} clock={clock.value} onZone={host.reload} />
  );
}

function DeviceForm({
  settings,
  base,
  host: { host_name, time_zone: zone },
  clock: { mode, discipliner, servers },
  isLast,
  onZone,
  onDone,
  onBack,
}: StepProps & {
  readonly base: Settings;
  readonly host: HostSettings;
  readonly clock: TimeSync;
  readonly onZone: () => Promise<void>;
}) {
  const { device, time } = base;
  /** The program that sets the clock by servers of its own; null: none does. */
  const daemon = mode === "delegate" ? discipliner.name : null;
  const initial: Typed = { name: device.name || host_name, zone, language, servers: time.servers };
  const [kept, keep] = useKept("device", initial);
  const form = useForm<Typed>(
    initial,
    async (typed) => {
      await saveSettings(settings, changeOf(base, typed, daemon === null));
      if (typed.zone !== zone) {
        await call("changeHost", { body: { time_zone: typed.zone } });
        await onZone();
      }
      await greet();
      keep(null);
      onDone();
    },
    [kept, keep],
  );
  const { error, field, typed } = form;
  const theirs = useTheirs(base, error);
  const ofBrowser = zoneOfBrowser();
  return (
    <Form
      form={form}
      verb={isLast ? t.firstRun.finish : t.ui.goOn}
      others={<StepButtons {...{ settings, onDone, onBack }} />}
    >
      <TextField
        {...field("name")}
        label={t.home.deviceName}
        hint={<Hint text={t.firstRun.deviceNameHint} more={theirs(({ device }) => device.name)} />}
        error={errorAt(error, "/device/name")}
        maxLength={128}
        isFirst
      />
      <SelectField
        {...field("language")}
        label={t.firstRun.language}
        hint={
          <Hint
            text={t.firstRun.languageHint}
            more={theirs(({ console }) => languageName(console.language))}
          />
        }
        options={[...new Set([...languages(), typed.language])].map((value) => ({
          value,
          text: languageName(value),
        }))}
      />
      <ZoneField
        {...field("zone")}
        label={t.firstRun.timeZone}
        hint={t.firstRun.timeZoneHint}
        error={errorAt(error, "/time_zone", /^host_right_missing$/)}
        present={zone}
      />
      {!isSameZone(typed.zone, ofBrowser) && (
        <p class="setup-zone">
          <Button kind="quiet" onClick={() => form.type({ zone: ofBrowser })}>
            {t.firstRun.zoneOfBrowser(ofBrowser)}
          </Button>
        </p>
      )}
      {daemon === null ? (
        <TimeServers
          more={theirs(({ time }) => time.servers.map(timeServerText).join(", "))}
          offered={servers.offered}
          {...field("servers")}
          error={error}
        />
      ) : (
        <p>
          <Badge state="good">{t.firstRun.byDaemon(daemon)}</Badge>
        </p>
      )}
    </Form>
  );
}

/** One zone has several names, such as UTC. */
function isSameZone(one: string, other: string): boolean {
  const known = (timeZone: string) =>
    new Intl.DateTimeFormat("en", { timeZone }).resolvedOptions().timeZone.replace("Etc/", "");
  try {
    return one === other || known(one) === known(other);
  } catch {
    // The device has a zone that this browser does not know.
    return false;
  }
}

/** Only the settings that differ from the device's. */
function changeOf(base: Settings, typed: Typed, hasServers: boolean): SettingsChange {
  const name = typed.name.trim();
  const servers = [...namedServers(typed.servers)];
  const isOther = hasServers && JSON.stringify(servers) !== JSON.stringify(base.time.servers);
  return {
    ...(name !== base.device.name && { device: { name } }),
    ...(typed.language !== base.console.language && { console: { language: typed.language } }),
    ...(isOther && { time: { servers } }),
  };
}
