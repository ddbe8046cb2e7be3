import { useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { upload } from "../../client/upload.ts";
import { useStop } from "../../client/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { FileField } from "../../ui/form/file-field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { Transfer } from "../../ui/form/transfer.tsx";
import { TokenField } from "../token-field.tsx";

export interface Received {
  readonly name: string;
  readonly bytes: number;
}

/** Sends the file, which the device keeps until it is opened or replaced. */
export function FileStep({
  token,
  setToken,
  onReceived,
  onBack,
}: {
  readonly token: string;
  readonly setToken: (token: string) => void;
  readonly onReceived: (received: Received) => void;
  readonly onBack: () => void;
}) {
  const [sent, setSent] = useState(0);
  const [isOther, setIsOther] = useState(false);
  const { begin, stop } = useStop();
  const form = useForm<{ setup_token: string; file: File | null }>(
    { setup_token: token, file: null },
    async ({ setup_token, file }) => {
      if (file === null) return;
      setSent(0);
      const options = { signal: begin(), headers: { "x-setup-token": setup_token.trim() } };
      // The answer to a wrong token does not reach a browser that is still sending: nothing is sent before.
      await upload("receiveBackup", new Blob(), setSent, options);
      const { bytes } = await upload("receiveBackup", file, setSent, options);
      setToken(setup_token.trim());
      onReceived({ name: file.name, bytes });
    },
  );
  const { typed, isBusy } = form;
  const chosen = form.field("file", /^(payload_too_large|backup_unusable)$/);
  return (
    <Form
      form={form}
      verb={t.restore.send}
      isReady={typed.file !== null && !isOther && typed.setup_token.trim() !== ""}
      others={
        isBusy ? (
          <Button onClick={stop}>{t.ui.cancel}</Button>
        ) : (
          <Button kind="quiet" onClick={onBack}>
            {t.restore.asNew}
          </Button>
        )
      }
    >
      <p>{t.restore.intro}</p>
      <TokenField {...form.field("setup_token", /^setup_token_invalid$/)} isDisabled={isBusy} />
      <FileField
        {...chosen}
        error={isOther ? t.restore.noBackup : chosen.error}
        onInput={(file) => {
          chosen.onInput(file);
          void isNoBackup(file).then(setIsOther);
        }}
        label={t.restore.file}
        hint={t.restore.fileHint}
        isDisabled={isBusy}
        accept=".age"
      />
      {isBusy && typed.file && <Transfer label={t.restore.sending} bytes={sent} of={typed.file.size} />}
    </Form>
  );
}

/** The first line of a file of age (https://age-encryption.org/v1). */
const head = "age-encryption.org/v1\n";

/** True: it need not be sent to be refused. What cannot be read is found when it is sent. */
async function isNoBackup(file: File | null): Promise<boolean> {
  const text = await file
    ?.slice(0, head.length)
    .text()
    .catch(() => head);
  return text !== undefined && text !== head;
}
