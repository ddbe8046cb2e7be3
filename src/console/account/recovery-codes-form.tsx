import { useState } from "preact/hooks";
import { absoluteTime } from "../catalogue/formats.ts";
import { t } from "../catalogue/words.ts";
import { device } from "../client/connection.ts";
import { deviceNow } from "../client/device-time.ts";
import { useAction } from "../client/use-action.ts";
import { Paper } from "../print/paper.tsx";
import { useStore } from "../store.ts";
import { CheckField } from "../ui/form/field.tsx";
import { Form } from "../ui/form/form.tsx";
import { Secret } from "../ui/secret.tsx";

/** The codes, this once: it goes on when the person says that they are kept. */
export function RecoveryCodesForm({
  username,
  codes,
  onKept,
}: {
  readonly username: string;
  readonly codes: readonly string[];
  readonly onKept: () => Promise<void>;
}) {
  const [isKept, setIsKept] = useState(false);
  const action = useAction(onKept);
  const deviceName = useStore(device)?.name ?? "";
  return (
    <>
      <p>{t.enrolment.recoveryCodesText}</p>
      <Secret
        label={t.enrolment.recoveryCodes}
        text={`${t.enrolment.codesFor(username, deviceName)}\n\n${codes.join("\n")}`}
        fileName={`steward-${username}.txt`}
      />
      <Paper title={t.enrolment.codesFor(username, deviceName)}>
        <p>{absoluteTime(new Date(deviceNow()))}</p>
        <ol class="paper-codes">
          {codes.map((code) => (
            <li key={code}>
              <code>{code}</code>
            </li>
          ))}
        </ol>
        <p>{t.enrolment.codesUse}</p>
      </Paper>
      <Form form={action} verb={t.ui.done} why={isKept ? null : t.enrolment.keepFirst}>
        <CheckField label={t.enrolment.kept} value={isKept} onInput={setIsKept} />
      </Form>
    </>
  );
}
