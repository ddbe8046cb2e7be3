import { useMemo } from "preact/hooks";
import { renderSVG } from "uqr";
import { absoluteTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { device } from "../client/connection.ts";
import { deviceNow } from "../client/device-time.ts";
import { useResource } from "../client/use-resource.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { Facts, Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { Paper } from "./paper.tsx";
import { QrPicture } from "./qr-picture.tsx";

/** A sheet for the device's file: its addresses, and the marks by which it is recognised. */
export function DeviceSheet({ onClose }: { readonly onClose: () => void }) {
  const version = useResource("getVersion");
  const tls = useResource("getTls");
  const updates = useResource("getUpdates");
  const name = useStore(device)?.name ?? "";
  const address = `${location.origin}/`;
  const qr = useMemo(() => renderSVG(address, { ecc: "M", border: 2 }), [address]);
  const error = version.error ?? tls.error ?? updates.error;
  if (version.value === null || tls.value === null || updates.value === null)
    return (
      <Dialog title={t.print.sheet} onClose={onClose}>
        {error ? <ProblemView error={error} /> : <Skeleton lines={8} />}
      </Dialog>
    );
  const { device_id, support_until } = version.value;
  const { urls, certificate } = tls.value;
  const unknown = t.print.unknown;
  return (
    <Dialog title={t.print.sheet} onClose={onClose}>
      <Paper title={name} isShown>
        <div class="paper-address">
          <QrPicture svg={qr} alt={t.print.qr(address)} />
          <p>
            <strong>{t.print.console}</strong>
            {[...new Set([address, ...urls])].map((one) => (
              <code key={one}>{one}</code>
            ))}
          </p>
        </div>
        <Facts
          items={[
            [t.print.deviceId, <code key="id">{device_id ?? unknown}</code>],
            [t.print.certificate, <code key="tls">{certificate?.fingerprint ?? t.print.noCertificate}</code>],
            [
              t.print.root,
              <code key="root">{inGroups(updates.value.trust.fingerprint) ?? t.print.noRoot}</code>,
            ],
            [t.print.support, support_until ?? unknown],
            [t.print.printed, absoluteTime(new Date(deviceNow()))],
          ]}
        />
      </Paper>
      <div class="buttons">
        <Button kind="primary" onClick={() => print()}>
          {t.ui.print}
        </Button>
      </div>
    </Dialog>
  );
}

/** Groups the fingerprint for reading aloud, as the updates show it. */
function inGroups(hex: string | null): string | null {
  return hex?.match(/.{1,4}/g)?.join(" ") ?? null;
}
