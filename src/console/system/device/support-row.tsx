import { t } from "../../catalogue/words.ts";
import { exchange } from "../../client/call.ts";
import { device } from "../../client/connection.ts";
import { deviceNow } from "../../client/device-time.ts";
import { useAction } from "../../client/use-action.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { download } from "../../ui/download.ts";
import { ProblemView } from "../../ui/problem-view.tsx";
import { fileNameOf } from "../backup/make-backup.ts";
import { Row } from "./rows.tsx";

/** Hands the person the archive of doctor, for people who help. */
export function SupportRow() {
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
