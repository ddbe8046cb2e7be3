import { absoluteTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { device, useGreeting } from "../client/connection.ts";
import { deviceNow } from "../client/device-time.ts";
import type { PaperProps } from "../client/parts.ts";
import { useResource } from "../client/use-resource.ts";
import { useStore } from "../store.ts";
import { Octets } from "../system/device/octets.tsx";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog/dialog.tsx";
import { Maker, MakerMark, ProductPicture } from "../ui/maker.tsx";
import { Facts, Skeleton } from "../ui/page.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { blank, Paper, QrPicture } from "./paper.tsx";
import { NoWayIn, useWayIn } from "./way-in.tsx";

export function DeviceSheet({ onClose }: { readonly onClose: () => void }) {
  return (
    <Dialog title={t.print.sheet} onClose={onClose}>
      <DevicePaper />
    </Dialog>
  );
}

/** A sheet for the device's file: its addresses, and the marks by which it is recognised. */
export function DevicePaper({ note, others }: PaperProps) {
  const version = useResource("getVersion");
  const tls = useResource("getTls");
  const updates = useResource("getUpdates");
  const error = version.error ?? tls.error ?? updates.error;
  const name = useStore(device)?.name ?? "";
  const way = useWayIn();
  const maker = useGreeting()?.maker ?? null;
  if (version.value === null || tls.value === null || updates.value === null)
    return (
      <>
        {error ? <ProblemView error={error} /> : <Skeleton lines={8} />}
        {others && <div class="buttons">{others}</div>}
      </>
    );
  const { device_id, product, support_until } = version.value;
  const { urls, certificate } = tls.value;
  const { confirmed, fingerprint } = updates.value.trust;
  return (
    <>
      <Paper title={name} isShown>
        <MakerMark />
        <div class="paper-address">
          {way && <QrPicture svg={way.qr} alt={t.wayIn.qrOf(way.address)} />}
          <p>
            <strong>{t.print.console}</strong>
            {way ? (
              [...new Set([way.address, ...urls.map((one) => `${one}/`)])].map((one) => (
                <code key={one}>{one}</code>
              ))
            ) : (
              <>
                <NoWayIn />
                <span>{blank}</span>
              </>
            )}
          </p>
          {maker && <ProductPicture picture={maker.picture} alt={t.machine.product} />}
        </div>
        <Facts
          items={[
            device_id != null && [t.print.deviceId, <code key="id">{device_id}</code>],
            [
              t.print.certificate,
              certificate ? <Octets key="tls">{certificate.fingerprint}</Octets> : t.print.noCertificate,
            ],
            // In groups for reading aloud. Before it is compared, someone could copy it from here.
            confirmed && [t.print.root, <code key="root">{fingerprint?.match(/.{1,4}/g)?.join(" ")}</code>],
            maker && [t.machine.maker, <Maker key="maker" {...maker} />],
            product && [t.print.product, `${product.name} ${product.version ?? ""}`],
            support_until != null && [t.print.support, support_until],
            [t.print.printed, absoluteTime(new Date(deviceNow()))],
          ]}
        />
        {note}
      </Paper>
      <div class="buttons">
        {others}
        <Button kind={others ? "plain" : "primary"} onClick={() => print()}>
          {t.ui.print}
        </Button>
      </div>
    </>
  );
}

export { DevicePaper as Paper, DeviceSheet as Body };
