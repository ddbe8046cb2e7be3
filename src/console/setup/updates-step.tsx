import type { ComponentChildren } from "preact";
import type { Settings, SettingsChange, Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { Badge } from "../ui/badge.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { errorAt, Form, useForm } from "../ui/form/form.tsx";
import { fingerprintIn } from "../ui/visible.ts";
import { ScanButton } from "./scan-button.tsx";
import { Hint, StepButtons, type StepProps, saveSettings, useKept, useTheirs } from "./step.tsx";

interface Typed {
  readonly server: string;
  readonly channel: string;
  readonly isRegular: boolean;
  readonly fingerprint: string;
}

export function UpdatesStep(props: StepProps) {
  const { settings, updates, isLast, onDone, onBack } = props;
  const { ota } = (settings.value as Settings).update;
  const { trust } = updates.value as Updates;
  const begun: Typed = {
    server: ota.server,
    channel: ota.channel,
    fingerprint: "",
    isRegular: ota.enabled || ota.server === "",
  };
  const [kept, keep] = useKept("updates", begun);
  const form = useForm<Typed>(
    begun,
    async (typed) => {
      await saveSettings(settings, changeOf(ota, typed));
      const fingerprint = fingerprintIn(typed.fingerprint);
      if (fingerprint !== "" && !trust.confirmed)
        updates.put(await call("confirmUpdateTrust", { body: { fingerprint } }));
      keep(null);
      onDone();
    },
    [kept, keep],
  );
  const { error, field, type } = form;
  const theirs = useTheirs(settings.value as Settings, error);
  const faultOf = (name: string) => errorAt(error, `/update/ota/${name}`);
  return (
    <Form
      form={form}
      verb={isLast ? t.firstRun.finish : t.ui.goOn}
      others={<StepButtons {...{ settings, onDone, onBack }} needless="updates_not_set_up" />}
    >
      <p>{t.firstRun.updatesText}</p>
      <TextField
        {...field("server")}
        label={t.firstRun.server}
        hint={<Hint text={t.firstRun.serverHint} more={theirs(({ update }) => update.ota.server)} />}
        error={faultOf("server")}
        maxLength={512}
        spellcheck={false}
        isFirst
      />
      <TextField
        {...field("channel")}
        label={t.firstRun.channel}
        hint={<Hint text={t.firstRun.channelHint} more={theirs(({ update }) => update.ota.channel)} />}
        error={faultOf("channel")}
        maxLength={32}
        spellcheck={false}
      />
      <CheckField
        {...field("isRegular")}
        label={t.firstRun.regularly}
        hint={t.firstRun.regularlyHint}
        error={faultOf("enabled")}
      />
      <TrustOf trust={trust}>
        <TextField
          {...field("fingerprint")}
          label={t.firstRun.fingerprint}
          hint={t.firstRun.fingerprintHint}
          error={errorAt(error, "/fingerprint") && t.firstRun.otherFingerprint}
          spellcheck={false}
          lines={2}
        />
        <ScanButton onFound={(fingerprint) => type({ fingerprint })} />
      </TrustOf>
    </Form>
  );
}

/** The state of the root of trust; the field for its fingerprint only if there is a root to compare it with. */
function TrustOf({
  trust,
  children,
}: {
  readonly trust: Updates["trust"];
  readonly children: ComponentChildren;
}) {
  if (trust.confirmed)
    return (
      <p>
        <Badge state="good">{t.firstRun.trusted(trust.confirmed_by ?? "")}</Badge>
      </p>
    );
  if (trust.installed) return <>{children}</>;
  return (
    <>
      <p>{t.firstRun.noRoot}</p>
      <pre>steward update trust install FILE</pre>
    </>
  );
}

function changeOf(ota: Settings["update"]["ota"], typed: Typed): SettingsChange {
  const server = typed.server.trim();
  const channel = typed.channel.trim();
  // Without a server there is nothing to check, and no choice about it.
  const enabled = server === "" ? ota.enabled : typed.isRegular;
  const change = {
    ...(server !== ota.server && { server }),
    ...(channel !== ota.channel && { channel }),
    ...(enabled !== ota.enabled && { enabled }),
  };
  return Object.keys(change).length === 0 ? {} : { update: { ota: change } };
}
