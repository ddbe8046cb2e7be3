import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { HostSettings } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { device } from "../../client/connection.ts";
import { useResource } from "../../client/use-resource.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { ZoneField } from "../../ui/form/zone-field.tsx";
import { Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { Time } from "../../ui/time.tsx";
import { BackupDialog } from "../backup/backup-dialog.tsx";
import { MachineOrderDialog, type MachineVerb, machineVerbs } from "./machine-orders.tsx";

const verbs = ["backup", ...machineVerbs] as const;

type Verb = "backup" | MachineVerb;

/** An administrator's actions on the machine itself. */
export function MachineDialog({
  asked,
  onClose,
}: {
  /** The part that the address asks for at once; another value: the whole dialog. */
  readonly asked: string;
  readonly onClose: () => void;
}) {
  const [verb, setVerb] = useState<Verb | null>(verbs.find((one) => one === asked) ?? null);
  const name = useStore(device)?.name ?? "";
  const host = useResource("getHost", {}, { isStill: true });
  const status = useResource("getStatus");
  if (verb === "backup") return <BackupDialog name={name} onClose={onClose} />;
  if (verb !== null) return <MachineOrderDialog verb={verb} name={name} onClose={onClose} />;
  // Also where name and zone cannot be read.
  const others = (
    <>
      <section>
        <h3>{t.machine.backup}</h3>
        {status.value && (
          <p>
            {t.machine.lastBackup} <Time at={status.value.last_backup_at ?? null} />
          </p>
        )}
        <div class="buttons">
          <Button onClick={() => setVerb("backup")}>{t.machine.makeBackup}</Button>
        </div>
      </section>
      <section>
        <h3>{t.machine.power}</h3>
        <div class="buttons">
          <Button onClick={() => setVerb("reboot")}>{t.machine.reboot}</Button>
          <Button onClick={() => setVerb("powerOff")}>{t.machine.powerOff}</Button>
          <Button kind="danger" onClick={() => setVerb("reset")}>
            {t.machine.reset}
          </Button>
        </div>
      </section>
    </>
  );
  return (
    <Dialog title={t.machine.title} shape="sheet" onClose={onClose}>
      <ReadProblem of={[host]} />
      {host.value !== null ? (
        <NamesForm host={host.value} onSaved={onClose}>
          {others}
        </NamesForm>
      ) : (
        <>
          {host.error === null && <Skeleton lines={3} />}
          {others}
        </>
      )}
    </Dialog>
  );
}

/** A form fills the sheet and has its button at the foot, so that everything else of the sheet is inside it. */
function NamesForm({
  host,
  onSaved,
  children,
}: {
  readonly host: HostSettings;
  readonly onSaved: () => void;
  readonly children: ComponentChildren;
}) {
  const { host_name, time_zone } = host;
  const form = useForm({ host_name, time_zone }, async (typed) => {
    await call("changeHost", { body: { ...typed, host_name: typed.host_name.trim() } });
    toast(t.ui.saved);
  });
  const isChanged = form.typed.host_name.trim() !== host_name || form.typed.time_zone !== time_zone;
  return (
    <Form form={form} verb={t.ui.save} isReady={isChanged} onDone={onSaved}>
      <h3>{t.machine.names}</h3>
      <TextField
        {...form.field("host_name")}
        label={t.machine.hostname}
        hint={t.machine.hostnameHint}
        maxLength={63}
        spellcheck={false}
      />
      <ZoneField
        {...form.field("time_zone")}
        label={t.machine.timeZone}
        hint={t.machine.timeZoneHint}
        present={time_zone}
      />
      {children}
    </Form>
  );
}
