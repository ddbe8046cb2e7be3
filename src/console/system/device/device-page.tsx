import { useEffect, useState } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { device, useGreeting } from "../../client/connection.ts";
import { navigate, place } from "../../navigation/navigation.ts";
import { isOneOf } from "../../session/session.ts";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Maker, MakerMark, ProductPicture } from "../../ui/maker.tsx";
import { bodyOf, Section } from "../../ui/page.tsx";
import { BackupDialog } from "../backup/backup-dialog.tsx";
import { MachineOrderDialog, type MachineVerb, machineVerbs } from "../facts/machine-orders.tsx";
import { CareSection } from "./care-section.tsx";
import { HttpsSection } from "./https-section.tsx";
import { Identity } from "./identity.tsx";
import { NetworkSection } from "./network-section.tsx";
import { Row } from "./rows.tsx";
import { ServicesSection } from "./services-section.tsx";
import "../../styles/parts/machine.css";

const ofAdmins = ["backup", ...machineVerbs] as const;

type Opened = "sheet" | "backup" | MachineVerb;

/** The device itself: its names and addresses, its power, its copies, and its return to the delivered state. */
export function DevicePage() {
  const { path, query } = useStore(place);
  const name = useStore(device)?.name ?? "";
  const maker = useGreeting()?.maker ?? null;
  const [opened, open] = useState<Opened | null>(null);
  const isAdmin = isOneOf("admin");
  // Others can follow the address: `?open=backup`.
  const asked = query.open ?? "";
  useEffect(() => {
    open(asked === "sheet" ? asked : (isAdmin && ofAdmins.find((one) => one === asked)) || null);
  }, [asked]);
  const close = (): void => {
    open(null);
    if (asked !== "") void navigate(path, { ...query, open: undefined }, { replace: true });
  };
  return (
    <>
      <Identity asked={asked} onSheet={() => open("sheet")} />
      <div class="machine-facts">
        <NetworkSection />
        <HttpsSection />
        {maker && (
          <Section title={t.machine.maker}>
            <MakerMark />
            <Maker {...maker} />
            <ProductPicture picture={maker.picture} alt={t.machine.product} />
          </Section>
        )}
      </div>
      <ServicesSection />
      {isAdmin && (
        <>
          <Power onChoose={open} />
          <CareSection onBackup={() => open("backup")} />
          <Reset onChoose={open} />
        </>
      )}
      {opened && <OpenedDialog key={opened} opened={opened} name={name} onClose={close} />}
    </>
  );
}

interface OpenedProps {
  readonly opened: Opened;
  readonly name: string;
  readonly onClose: () => void;
}

function OpenedDialog({ opened, name, onClose }: OpenedProps) {
  if (opened === "sheet") return <Sheet onClose={onClose} />;
  if (opened === "backup") return <BackupDialog name={name} onClose={onClose} />;
  return <MachineOrderDialog verb={opened} name={name} onClose={onClose} />;
}

const Sheet = bodyOf("sheet", 0);

function Power({ onChoose }: { readonly onChoose: (verb: MachineVerb) => void }) {
  return (
    <Section title={t.machine.power}>
      <ul class="machine-rows">
        <Row title={t.machine.restart} text={t.machine.restartHint}>
          <Button onClick={() => onChoose("reboot")}>{t.machine.reboot}</Button>
        </Row>
        <Row title={t.machine.off} text={t.machine.powerOffText}>
          <Button onClick={() => onChoose("powerOff")}>{t.machine.powerOff}</Button>
        </Row>
      </ul>
    </Section>
  );
}

/** Apart at the end of the page, where no one chooses it by mistake. */
function Reset({ onChoose }: { readonly onChoose: (verb: MachineVerb) => void }) {
  return (
    <Section title={t.machine.reset}>
      <ul class="machine-rows">
        <Row title={t.machine.asDelivered} text={`${t.machine.resetText} ${t.machine.resetKept}`}>
          <Button kind="danger" onClick={() => onChoose("reset")}>
            {t.machine.reset}
          </Button>
        </Row>
      </ul>
    </Section>
  );
}

export const pages = { "/system/device": DevicePage };
