import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import type { HostSettings } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { device } from "../../client/connection.ts";
import { useAction } from "../../client/use-action.ts";
import { useResource } from "../../client/use-resource.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { errorAt, Form } from "../../ui/form/form.tsx";
import { ZoneField } from "../../ui/form/zone-field.tsx";
import { Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { MachineOrderDialog, type MachineVerb, machineVerbs } from "./machine-orders.tsx";

/** What an administrator can do with the machine itself. */
export function MachineDialog({
  asked,
  onClose,
}: {
  /** The part that the address asks for at once; another value: the whole dialog. */
  readonly asked: string;
  readonly onClose: () => void;
}) {
  const [verb, setVerb] = useState<MachineVerb | null>(machineVerbs.find((one) => one === asked) ?? null);
  const name = useStore(device)?.name ?? "";
  const host = useResource("getHost", {}, { isStill: true });
  if (verb !== null) return <MachineOrderDialog verb={verb} name={name} onClose={onClose} />;
  // Also where name and zone cannot be read.
  const power = (
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
  );
  return (
    <Dialog title={t.machine.title} shape="sheet" onClose={onClose}>
      <ReadProblem of={[host]} />
      {host.value !== null ? (
        <NamesForm host={host.value} onSaved={onClose}>
          {power}
        </NamesForm>
      ) : (
        <>
          {host.error === null && <Skeleton lines={3} />}
          {power}
        </>
      )}
    </Dialog>
  );
}

/** A form fills the sheet, its button at the foot: so that all else of the sheet stands in it. */
function NamesForm({
  host,
  onSaved,
  children,
}: {
  readonly host: HostSettings;
  readonly onSaved: () => void;
  readonly children: ComponentChildren;
}) {
  const [name, setName] = useState(host.host_name);
  const [zone, setZone] = useState(host.time_zone);
  const action = useAction(async () => {
    await call("changeHost", { body: { host_name: name.trim(), time_zone: zone } });
    toast(t.ui.saved);
  });
  const errors = [errorAt(action.error, "/host_name"), errorAt(action.error, "/time_zone")] as const;
  const isChanged = name.trim() !== host.host_name || zone !== host.time_zone;
  return (
    <Form
      error={action.error}
      isBrief={errors.some((error) => error !== null)}
      onSubmit={() => void action.run().then((isDone) => isDone && onSaved())}
      footer={
        <Button kind="primary" type="submit" isBusy={action.isBusy} isDisabled={!isChanged}>
          {t.ui.save}
        </Button>
      }
    >
      <h3>{t.machine.names}</h3>
      <TextField
        label={t.machine.hostname}
        hint={t.machine.hostnameHint}
        error={errors[0]}
        value={name}
        onInput={setName}
        maxLength={63}
        autocomplete="off"
        spellcheck={false}
      />
      <ZoneField
        label={t.machine.timeZone}
        hint={t.machine.timeZoneHint}
        error={errors[1]}
        value={zone}
        onChange={setZone}
        present={host.time_zone}
      />
      {children}
    </Form>
  );
}
