import type { ComponentChildren } from "preact";
import type { Settings, SettingsChange, Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { Badge } from "../ui/badge.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { errorAt, Form } from "../ui/form/form.tsx";
import { Submit } from "../ui/form/submit.tsx";
import { fingerprintIn } from "./fingerprint.ts";
import { Hint } from "./hint.tsx";
import { useKept } from "./kept.ts";
import { ScanButton } from "./scan-button.tsx";
import { type StepProps, saveSettings, useTheirs } from "./step.ts";
import { StepButtons } from "./step-buttons.tsx";

interface Typed {
  readonly server: string;
  readonly channel: string;
  readonly isRegular: boolean;
  readonly fingerprint: string;
}

/** Where updates come from, and whose signatures count. */
export function UpdatesStep(props: StepProps) {
  const { settings, updates, isLast, onDone, onBack } = props;
  const { ota } = (settings.value as Settings).update;
  const { trust } = updates.value as Updates;
  const [typed, type] = useKept<Typed>("updates", {
    ...{ server: ota.server, channel: ota.channel, fingerprint: "" },
    isRegular: ota.enabled || ota.server === "",
  });
  const action = useAction(async () => {
    await saveSettings(settings, changeOf(ota, typed));
    const fingerprint = fingerprintIn(typed.fingerprint);
    if (fingerprint !== "" && !trust.confirmed)
      updates.put(await call("confirmUpdateTrust", { body: { fingerprint } }));
    type(null);
    onDone();
  });
  const { error } = action;
  const theirs = useTheirs(settings.value as Settings, error);
  const faultOf = (name: string) => errorAt(error, `/update/ota/${name}`);
  const otherFingerprint = errorAt(error, "/fingerprint") && t.firstRun.otherFingerprint;
  return (
    <Form
      error={error}
      isBrief={Boolean(faultOf("server") ?? faultOf("channel") ?? otherFingerprint)}
      onSubmit={() => void action.run()}
      footer={
        <>
          <Submit action={action}>{isLast ? t.firstRun.finish : t.firstRun.goOn}</Submit>
          <StepButtons {...{ settings, onDone, onBack }} needless="updates_not_set_up" />
        </>
      }
    >
      <p>{t.firstRun.updatesText}</p>
      <TextField
        label={t.firstRun.server}
        hint={<Hint text={t.firstRun.serverHint} more={theirs(({ update }) => update.ota.server)} />}
        error={faultOf("server")}
        value={typed.server}
        onInput={(server) => type({ server })}
        maxLength={512}
        autocomplete="off"
        spellcheck={false}
        isFirst
      />
      <TextField
        label={t.firstRun.channel}
        hint={<Hint text={t.firstRun.channelHint} more={theirs(({ update }) => update.ota.channel)} />}
        error={faultOf("channel")}
        value={typed.channel}
        onInput={(channel) => type({ channel })}
        maxLength={32}
        autocomplete="off"
        spellcheck={false}
      />
      <CheckField
        label={t.firstRun.regularly}
        hint={t.firstRun.regularlyHint}
        error={faultOf("enabled")}
        value={typed.isRegular}
        onChange={(isRegular) => type({ isRegular })}
      />
      <TrustOf trust={trust}>
        <TextField
          label={t.firstRun.fingerprint}
          hint={t.firstRun.fingerprintHint}
          error={otherFingerprint}
          value={typed.fingerprint}
          onInput={(fingerprint) => type({ fingerprint })}
          autocomplete="off"
          spellcheck={false}
          lines={2}
        />
        <ScanButton onFound={(fingerprint) => type({ fingerprint })} />
      </TrustOf>
    </Form>
  );
}

/** The root of trust as it stands; the field for its fingerprint only where there is something to compare. */
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
      <pre class="setup-command">steward update trust install FILE</pre>
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
