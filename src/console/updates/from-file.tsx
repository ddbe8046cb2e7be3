import { useState } from "preact/hooks";
import type { Updates } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import type { PropsOf } from "../client/parts.ts";
import { upload } from "../client/upload.ts";
import { useAction, useStop } from "../client/use-action.ts";
import { Button } from "../ui/button.tsx";
import { Transfer } from "../ui/form/transfer.tsx";
import { ProblemView } from "../ui/problem-view.tsx";
import { Said } from "../ui/spoken.tsx";
import { reasonSentence } from "../ui/words/update-format.ts";

/** Sends a file with a repository to a device without a network, and says what came of its check. */
export function Body({ status, onBegun }: PropsOf<"upload">) {
  const [sending, setSending] = useState({ bytes: 0, of: 0 });
  const [checkId, setCheckId] = useState<string | null>(null);
  const { begin, stop } = useStop();
  const send = useAction(async (file: File) => {
    setCheckId(null);
    const signal = begin();
    const onBytes = (sent: number): void => setSending({ bytes: sent, of: file.size });
    onBytes(0);
    // A session that has to be renewed is renewed before the file is sent.
    await call("getMe");
    const begun = await upload("checkUploadedRepository", file, onBytes, { signal });
    setCheckId(begun.schedule.check_id ?? null);
    onBegun(begun);
  });
  const why = status.trust.installed ? null : t.updates.trustSteps.not_installed;
  return (
    <div class="from-file">
      <label>
        {t.upload.file}
        <input
          type="file"
          accept=".tar"
          disabled={send.isBusy || why !== null}
          onChange={({ currentTarget }) => {
            const [file] = currentTarget.files ?? [];
            if (file) void send.run(file);
            // The same file can be chosen again.
            currentTarget.value = "";
          }}
        />
      </label>
      <p class="hint">{why ?? t.upload.hint}</p>
      {send.isBusy && (
        <>
          <Transfer label={t.upload.progress} bytes={sending.bytes} of={sending.of} />
          <Button onClick={stop}>{t.ui.cancel}</Button>
        </>
      )}
      <ProblemView error={send.error} />
      <p role="status">{checkId !== null && <Outcome status={status} checkId={checkId} />}</p>
    </div>
  );
}

function Outcome({ status, checkId }: { readonly status: Updates; readonly checkId: string }) {
  const { last_check } = status.schedule;
  if (last_check?.id !== checkId) return <>{t.upload.checking}</>;
  if (last_check.outcome === "ok") return <>{t.upload.good}</>;
  return (
    <>
      {t.upload.failed}{" "}
      {last_check.detail !== null && (
        <Said sentence={reasonSentence({ ...last_check, detail: last_check.detail })} />
      )}
    </>
  );
}
