import { useEffect, useRef, useState } from "preact/hooks";
import type { Settings, SettingsChange, Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { CheckField, TextField } from "../ui/form/field.tsx";
import { errorAt, Form, useForm } from "../ui/form/form.tsx";
import { fingerprintIn } from "../ui/visible.ts";
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
      // The agent says what a part of one lacks.
      const fingerprint = fingerprintIn(typed.fingerprint) || typed.fingerprint.trim();
      if (fingerprint !== "" && !trust.confirmed)
        updates.put(await call("confirmUpdateTrust", { body: { fingerprint } }));
      keep(null);
      onDone();
    },
    [kept, keep],
  );
  const { error, field, type } = form;
  const theirs = useTheirs(settings.value as Settings, error);
  const hex = fingerprintIn(form.typed.fingerprint);
  const isOther = hex !== "" && hex !== trust.fingerprint && !trust.confirmed;
  const faultOf = (name: string) => errorAt(error, `/update/ota/${name}`);
  return (
    <Form
      form={form}
      verb={isLast ? t.firstRun.finish : t.ui.goOn}
      kind={isOther ? "plain" : "primary"}
      isReady={!isOther}
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
      <CheckField {...field("isRegular")} label={t.firstRun.regularly} error={faultOf("enabled")} />
      {/* The field only if there is a root to compare the fingerprint with. */}
      {trust.confirmed ? (
        <p>
          <Badge state="good">{t.firstRun.trusted(trust.confirmed_by ?? "")}</Badge>
        </p>
      ) : trust.installed ? (
        <>
          <TextField
            {...field("fingerprint")}
            label={t.firstRun.fingerprint}
            hint={t.firstRun.fingerprintHint}
            spellcheck={false}
            lines={2}
          />
          <p role="status">
            {hex !== "" && (
              <Badge state={isOther ? "wrong" : "good"}>
                {isOther ? t.firstRun.otherFingerprint : t.firstRun.sameFingerprint}
              </Badge>
            )}
          </p>
          <ScanButton onFound={(fingerprint) => type({ fingerprint })} />
        </>
      ) : (
        <>
          <p>{t.firstRun.noRoot}</p>
          <pre>steward update trust install FILE</pre>
        </>
      )}
    </Form>
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

/** As much of the Shape Detection API as is used here (WICG); few browsers have it. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}

type DetectorClass = new (options: { readonly formats: readonly string[] }) => Detector;

/** Milliseconds between two looks at the camera's picture. */
const lookMilliseconds = 200;

/** Reads the fingerprint from a printed code, where the browser can: elsewhere there is no button. */
function ScanButton({ onFound }: { readonly onFound: (fingerprint: string) => void }) {
  const [isOpen, setOpen] = useState(false);
  const { BarcodeDetector } = globalThis as { BarcodeDetector?: DetectorClass };
  // Over plain HTTP beyond this machine there is no camera.
  if (BarcodeDetector === undefined || navigator.mediaDevices === undefined) return null;
  const close = () => setOpen(false);
  return (
    <p>
      <Button onClick={() => setOpen(true)}>{t.firstRun.scan}</Button>
      {isOpen && (
        <Camera
          detector={new BarcodeDetector({ formats: ["qr_code"] })}
          onFound={(fingerprint) => {
            close();
            onFound(fingerprint);
          }}
          onClose={close}
        />
      )}
    </p>
  );
}

function Camera({
  detector,
  onFound,
  onClose,
}: {
  readonly detector: Detector;
  readonly onFound: (fingerprint: string) => void;
  readonly onClose: () => void;
}) {
  const video = useRef<HTMLVideoElement>(null);
  const [said, setSaid] = useState(t.firstRun.holdCode);
  useEffect(() => {
    const ending = new AbortController();
    watch(video.current as HTMLVideoElement, detector, ending.signal, (code) => {
      // A code may hold more than that, such as an address.
      const fingerprint = fingerprintIn(code);
      if (fingerprint === "") setSaid(t.firstRun.noFingerprint);
      else onFound(fingerprint);
    }).catch(() => setSaid(t.firstRun.noCamera));
    return () => ending.abort();
  }, []);
  return (
    <Dialog title={t.firstRun.scan} onClose={onClose}>
      <video ref={video} class="setup-camera" playsInline muted />
      <p role="status">{said}</p>
    </Dialog>
  );
}

/** Shows the camera's picture and tells of each code in it, until the signal ends it. Throws where there is no camera. */
async function watch(
  video: HTMLVideoElement,
  detector: Detector,
  signal: AbortSignal,
  onCode: (code: string) => void,
): Promise<void> {
  const stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: "environment" } });
  const stop = (): void => {
    for (const track of stream.getTracks()) track.stop();
  };
  if (signal.aborted) return stop();
  signal.addEventListener("abort", stop);
  video.srcObject = stream;
  await video.play();
  while (!signal.aborted) {
    for (const { rawValue } of await detector.detect(video)) onCode(rawValue);
    await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
  }
}
