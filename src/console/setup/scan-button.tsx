import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { fingerprintIn } from "../ui/visible.ts";

/** As much of the Shape Detection API as is used here (WICG); few browsers have it. */
interface Detector {
  detect(source: HTMLVideoElement): Promise<readonly { readonly rawValue: string }[]>;
}

type DetectorClass = new (options: { readonly formats: readonly string[] }) => Detector;

/** Milliseconds between two looks at the camera's picture. */
const lookMilliseconds = 200;

/** Reads the fingerprint from a printed code, where the browser can: elsewhere there is no button. */
export function ScanButton({ onFound }: { readonly onFound: (fingerprint: string) => void }) {
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
      const fingerprint = fingerprintInCode(code);
      if (fingerprint === null) setSaid(t.firstRun.noFingerprint);
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

/** A fingerprint from a code that was scanned, which may hold more than that, such as an address; null: it holds none. */
function fingerprintInCode(text: string): string | null {
  return /(?:^|[^0-9a-f])([0-9a-f]{64})(?:$|[^0-9a-f])/.exec(fingerprintIn(text))?.[1] ?? null;
}
