import { t } from "../../catalogue/words.ts";
import { exchange } from "../../client/call.ts";
import { device } from "../../client/connection.ts";
import { deviceNow } from "../../client/device-time.ts";
import { useAction } from "../../client/use-action.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { download } from "../../ui/download.ts";
import { Section } from "../../ui/page.tsx";
import { ProblemView } from "../../ui/problem-view.tsx";
import { Time } from "../../ui/time.tsx";
import { fileNameOf } from "../backup/make-backup.ts";
import { Row } from "./rows.tsx";

/** An administrator's copies of the device, the ways back from them, and updates without a network. */
export function CareSection({ onBackup }: { readonly onBackup: () => void }) {
  const status = useResource("getStatus").value;
  return (
    <Section title={t.machine.care}>
      <ul class="machine-rows">
        <Row
          title={t.machine.backup}
          text={
            status && (
              <>
                {t.machine.lastBackup} <Time at={status.last_backup_at ?? null} />
              </>
            )
          }
        >
          <Button onClick={onBackup}>{t.machine.makeBackup}</Button>
        </Row>
        <Row
          title={t.machine.restore}
          text={
            <>
              {t.machine.restoreText} <code>steward restore FILE --as-replacement</code>
            </>
          }
        />
        <Row title={t.machine.fromFile} text={t.machine.fromFileText}>
          <Link to="/updates" query={{ open: "file" }} className="button">
            {t.machine.fromFileVerb}
          </Link>
        </Row>
        <SupportRow />
      </ul>
    </Section>
  );
}

/** Hands the person the archive of doctor, for people who help. */
function SupportRow() {
  const name = useStore(device)?.name ?? "";
  const gather = useAction(async () => {
    const response = await exchange("makeSupportBundle", {}, {});
    const archive = await response.blob();
    const fileName = fileNameOf(name, new Date(deviceNow()), ".tar.gz");
    download(archive, fileName, archive.type);
    toast(t.machine.bundleMade(fileName));
  });
  return (
    <Row
      title={t.machine.bundle}
      text={
        <>
          {t.machine.bundleText}
          <ProblemView error={gather.error} />
        </>
      }
    >
      <Button isBusy={gather.isBusy} onClick={() => void gather.run()}>
        {t.machine.bundleVerb}
      </Button>
    </Row>
  );
}
