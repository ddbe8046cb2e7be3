import type { Output } from "../../../contract/types.ts";
import { bytes } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { Button } from "../../ui/button.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { RadioField } from "../../ui/form/radio-field.tsx";
import { visible } from "../../ui/visible.ts";
import type { Received } from "./file-step.tsx";

export type RestorePlan = Output<"restoreBackup">;

/** The key that opens the backup, and the part that the device is to take. */
export interface Typed {
  readonly key: string;
  readonly role: "" | "replacement" | "other";
}

export const untyped: Typed = { key: "", role: "" };

/** A private key of age is no passphrase that anybody would choose. */
const isIdentity = /^\s*AGE-SECRET-KEY-1/i;

/** Asks the device for the plan, or to carry it out. */
export function restore(setup_token: string, { key, role }: Typed, check: boolean): Promise<RestorePlan> {
  const opened = isIdentity.test(key) ? { identity: key.trim() } : { passphrase: key };
  const body = { ...opened, as_replacement: role === "replacement", check };
  return call("restoreBackup", { body }, { headers: { "x-setup-token": setup_token }, patience: 300 });
}

/** Opens the backup and asks what it changes. A wrong passphrase costs nothing: the device keeps the file. */
export function OpenStep({
  token,
  received,
  typed,
  type,
  onOpened,
  onBack,
}: {
  readonly token: string;
  readonly received: Received;
  readonly typed: Typed;
  readonly type: (change: Partial<Typed>) => void;
  readonly onOpened: (plan: RestorePlan) => void;
  readonly onBack: () => void;
}) {
  const form = useForm(typed, async () => onOpened(await restore(token, typed, true)), [typed, type]);
  const { replacement, other } = t.restore.roles;
  return (
    <Form
      form={form}
      verb={t.restore.open}
      isReady={typed.key !== "" && typed.role !== ""}
      others={
        <Button kind="quiet" onClick={onBack}>
          {t.restore.otherFile}
        </Button>
      }
    >
      <p>{t.restore.received(visible(received.name), bytes(received.bytes))}</p>
      <PasswordField
        {...form.field("key", /^backup_key_wrong$/)}
        name="passphrase"
        label={t.restore.key}
        hint={t.restore.keyHint}
        autocomplete="off"
        maxLength={1_024}
      />
      <RadioField
        label={t.system.tabs.device}
        value={typed.role}
        onInput={(role) => type({ role })}
        options={[
          { value: "replacement", ...replacement },
          { value: "other", ...other },
        ]}
      />
    </Form>
  );
}
