import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { greet, greeting } from "../../client/connection.ts";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { CheckField } from "../../ui/form/field.tsx";

export const machineVerbs = ["reboot", "powerOff", "reset"] as const;

export type MachineVerb = (typeof machineVerbs)[number];

/** Milliseconds between two looks whether the device is back. */
const lookMilliseconds = 2_000;

interface OrderProps {
  readonly verb: MachineVerb;
  readonly name: string;
  readonly onClose: () => void;
}

/** Asks whether the machine is to go down or to be reset, and then waits until it is back. */
export function MachineOrderDialog({ verb, name, onClose }: OrderProps) {
  /** Finds out if the machine is back; null: nothing was ordered yet. */
  const [isBack, setIsBack] = useState<(() => Promise<boolean>) | null>(null);
  const [force, setForce] = useState(false);
  // A dialog that has done its work closes itself, and by then another one has its place.
  const hasBegun = useRef(false);
  if (isBack !== null) return <Waiting verb={verb} name={name} isBack={isBack} onClose={onClose} />;
  const [title, ...texts] = questions[verb]();
  return (
    <ConfirmDialog
      title={title(name)}
      verb={t.machine[verb]}
      word={verb === "reset" ? name : null}
      isDangerous={verb !== "reboot"}
      onConfirm={async () => {
        const sign = await order(verb, name, force);
        hasBegun.current = true;
        setIsBack(() => sign);
      }}
      onClose={() => {
        if (!hasBegun.current) onClose();
      }}
    >
      {texts.map((text) => (
        <p key={text}>{text}</p>
      ))}
      {verb !== "reset" && <CheckField label={t.machine.force} value={force} onInput={setForce} />}
    </ConfirmDialog>
  );
}

const questions = {
  reboot: () => [t.machine.rebootTitle, t.machine.rebootText] as const,
  powerOff: () => [t.machine.powerOffTitle, t.machine.powerOffText] as const,
  reset: () => [t.machine.resetTitle, t.machine.resetText, t.machine.resetKept] as const,
};

/** Gives the order. The result finds out if the machine is back. */
async function order(verb: MachineVerb, name: string, force: boolean): Promise<() => Promise<boolean>> {
  if (verb === "reset") {
    await call("factoryReset", { body: { confirm: name } });
    return async () => (await greet()) && greeting.read()?.setup_required === true;
  }
  const { boot_id } = await call(verb, { body: { force } });
  return async () => (await call("getVersion")).boot_id !== boot_id;
}

const waitingWords = {
  reboot: () => [t.machine.rebooting, t.machine.rebootingText] as const,
  powerOff: () => [t.machine.poweringOff, t.machine.poweringOffText] as const,
  reset: () => [t.machine.resetting, t.machine.resettingText] as const,
};

interface WaitingProps extends OrderProps {
  readonly isBack: () => Promise<boolean>;
}

function Waiting({ verb, name, isBack, onClose }: WaitingProps) {
  const [title, text] = waitingWords[verb]();
  useEffect(() => {
    if (verb === "powerOff") return;
    let isWanted = true;
    const look = async (): Promise<void> => {
      while (isWanted && !(await isBack().catch(() => false)))
        await new Promise((resolve) => setTimeout(resolve, lookMilliseconds));
      if (!isWanted) return;
      // Nothing of this page is true any more after a reset: neither its user nor its settings.
      if (verb === "reset") return location.assign("/");
      toast(t.machine.rebooted);
      onClose();
    };
    void look();
    // The session ends with a reset, and this dialog with it; the page still has to be loaded again.
    return () => {
      isWanted = verb === "reset";
    };
  }, []);
  return (
    <Dialog title={title(name)} onClose={verb === "powerOff" ? onClose : undefined}>
      <p role="status">{text}</p>
    </Dialog>
  );
}
