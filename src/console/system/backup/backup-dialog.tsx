import { useState } from "preact/hooks";
import { bytes } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { deviceNow } from "../../client/device-time.ts";
import { useStop } from "../../client/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { download } from "../../ui/download.ts";
import { Form, useForm } from "../../ui/form/form.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { Transfer } from "../../ui/form/transfer.tsx";
import { fileNameOf, makeBackup } from "./make-backup.ts";

/** Hands the person a backup of the whole device, encrypted to a passphrase of theirs. */
export function BackupDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const [made, setMade] = useState<{ readonly fileName: string; readonly bytes: number } | null>(null);
  const [received, setReceived] = useState(0);
  const { begin } = useStop();
  const form = useForm({ passphrase: "", again: "" }, async ({ passphrase }) => {
    setReceived(0);
    const file = await makeBackup(passphrase, begin(), setReceived);
    const fileName = fileNameOf(name, new Date(deviceNow()), ".age");
    download(file, fileName, file.type);
    setMade({ fileName, bytes: file.size });
  });
  const { typed, isBusy } = form;
  const differs = typed.again !== "" && !typed.passphrase.startsWith(typed.again);
  const title = t.machine.backupTitle(name);
  if (made !== null)
    return (
      <Dialog title={title} onClose={onClose}>
        <p role="status">{t.machine.fileMade(made.fileName, bytes(made.bytes))}</p>
        <p>{t.machine.backupKeep}</p>
        <div class="buttons">
          <Button kind="primary" onClick={onClose}>
            {t.ui.done}
          </Button>
        </div>
      </Dialog>
    );
  return (
    <Dialog title={title} onClose={onClose}>
      <Form
        form={form}
        verb={t.machine.backupVerb}
        isReady={typed.passphrase !== "" && typed.again === typed.passphrase}
        onCancel={onClose}
      >
        <p>{t.machine.backupText}</p>
        <PasswordField
          {...form.field("passphrase", /^passphrase_/)}
          name="passphrase"
          label={t.machine.passphrase}
          hint={t.machine.passphraseHint}
          autocomplete="new-password"
          maxLength={1_024}
          isFirst
        />
        <PasswordField
          {...form.field("again")}
          name="passphrase-again"
          label={t.machine.passphraseAgain}
          error={differs ? t.machine.passphraseDiffers : null}
          autocomplete="new-password"
          maxLength={1_024}
        />
        {isBusy && <Transfer label={t.machine.backupMaking} bytes={received} />}
        {/* Backups by a timer need no person, and root sets them up. */}
        <details>
          <summary>{t.machine.unattended}</summary>
          <p>{t.machine.unattendedText}</p>
          <pre>
            {"echo age1… >>/etc/steward/backup-recipients\nsystemctl enable --now steward-backup.timer"}
          </pre>
        </details>
      </Form>
    </Dialog>
  );
}
