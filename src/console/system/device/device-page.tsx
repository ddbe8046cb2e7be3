import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Facts as HostFacts, Tls } from "../../../contract/types.ts";
import { absoluteTime, bytes } from "../../catalogue/formats.ts";
import { t, wordFor } from "../../catalogue/words.ts";
import { call, exchange } from "../../client/call.ts";
import { device, useGreeting } from "../../client/connection.ts";
import { deviceNow } from "../../client/device-time.ts";
import { fileOf } from "../../client/download.ts";
import { codeOf } from "../../client/problem.ts";
import { useAction } from "../../client/use-action.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { navigate, place } from "../../navigation/navigation.ts";
import { isOneOf } from "../../session/session.ts";
import { useStore } from "../../store.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { download } from "../../ui/download.ts";
import { TextField } from "../../ui/form/field.tsx";
import { Form, useForm } from "../../ui/form/form.tsx";
import { Maker, MakerMark, ProductPicture } from "../../ui/maker.tsx";
import { bodyOf, type Fact, Facts, Pending, Section } from "../../ui/page.tsx";
import { ProblemView, ReadProblem } from "../../ui/problem-view.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import { BackupDialog } from "../backup/backup-dialog.tsx";
import { fileNameOf } from "../backup/make-backup.ts";
import { MachineOrderDialog, type MachineVerb, machineVerbs } from "../facts/machine-orders.tsx";
import { Identity } from "./identity.tsx";
import { Octets } from "./octets.tsx";
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
    if (opened === asked) void navigate(path, { ...query, open: undefined }, { replace: true });
  };
  return (
    <>
      <Identity asked={asked} onSheet={() => open("sheet")} />
      {isAdmin && <ActionsSection onOpen={open} />}
      <div class="machine-facts">
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
      <Fold name="network" title={t.machine.network}>
        <Network />
      </Fold>
      {/* Apart at the end of the page, where no one chooses it by mistake. */}
      {isAdmin && (
        <Fold name="restore" title={t.machine.undo}>
          <ul class="machine-rows">
            <Row
              title={t.machine.restore}
              text={
                <>
                  {t.machine.restoreText} <code>steward restore FILE --as-replacement</code>
                </>
              }
            />
            <Row title={t.machine.asDelivered} text={`${t.machine.resetText} ${t.machine.resetKept}`}>
              <Button kind="danger" onClick={() => open("reset")}>
                {t.machine.reset}
              </Button>
            </Row>
          </ul>
        </Fold>
      )}
      {opened === "sheet" && <Sheet onClose={close} />}
      {opened === "backup" && <BackupDialog name={name} onClose={close} />}
      {opened !== null && opened !== "sheet" && opened !== "backup" && (
        <MachineOrderDialog key={opened} verb={opened} name={name} onClose={close} />
      )}
    </>
  );
}

const Sheet = bodyOf("sheet", 0);

export const pages = { "/system/device": DevicePage };

/** Colours of systemd's states; the others pass by themselves, or are a person's choice. */
const colours: Readonly<Record<string, "good" | "wrong">> = {
  active: "good",
  reloading: "good",
  failed: "wrong",
  "not-found": "wrong",
};

/** The product's services, where the host file names any, each with the way to its log. */
function ServicesSection() {
  const services = useResource("getSystemFacts").value?.services ?? [];
  if (services.length === 0) return null;
  return (
    <Section title={t.machine.services}>
      <Facts
        items={services.map(({ unit, state }) => [
          visible(unit),
          <div key={unit} class="line between">
            <Badge state={wordFor(colours, state ?? "") ?? "unknown"}>
              {wordFor(t.machine.serviceStates, state ?? "") ?? state ?? t.frame.clockWords.unknown}
            </Badge>
            <Link to="/system/logs" query={{ unit }}>
              {t.system.tabs.logs}
              <span class="unseen">: {visible(unit)}</span>
            </Link>
          </div>,
        ])}
      />
    </Section>
  );
}

/** A part that is seldom looked at; `?open=` in the address opens it. */
function Fold({
  name,
  title,
  children,
}: {
  readonly name: string;
  readonly title: string;
  readonly children: ComponentChildren;
}) {
  const { open } = useStore(place).query;
  return (
    <section aria-label={title}>
      <details class="more" open={open === name}>
        <summary>{title}</summary>
        {children}
      </details>
    </section>
  );
}

/** The network as the operating system has set it up; nothing of it is changed here. */
function Network() {
  const facts = useResource("getSystemFacts");
  return (
    <>
      <ReadProblem of={[facts]} />
      {facts.value === null ? (
        <Pending of={facts} lines={4} />
      ) : (
        <Facts items={ofNetwork(facts.value.network)} />
      )}
    </>
  );
}

function ofNetwork({ interfaces, gateways, name_servers }: HostFacts["network"]) {
  return [
    ...interfaces.map(
      ({ name, mac, addresses }) => [visible(name), <Lines key={name} of={[...addresses, mac]} />] as const,
    ),
    [t.machine.gateway, <Lines key="gateway" of={gateways} />],
    [t.machine.nameServers, <Lines key="servers" of={name_servers} />],
  ] as const;
}

/** One below the other; a dash for none. */
function Lines({ of, areLinks }: { readonly of: readonly string[]; readonly areLinks?: true }) {
  if (of.length === 0) return <>–</>;
  return (
    <ul>
      {of.map((one) => (
        <li key={one}>{areLinks ? <a href={one}>{visible(one)}</a> : visible(one)}</li>
      ))}
    </ul>
  );
}

function HttpsSection() {
  const tls = useResource("getTls");
  const mayEnable = isOneOf("admin") && tls.value?.enabling === "open";
  // A page that came by HTTPS has its warning behind it.
  const isWarned = tls.value?.certificate?.source === "self_made" && location.protocol === "http:";
  return (
    <Section title="HTTPS">
      <ReadProblem of={[tls]} />
      {tls.value === null ? (
        <Pending of={tls} lines={4} />
      ) : mayEnable ? (
        <EnableHttps onDone={tls.put} />
      ) : (
        <Facts items={itemsOf(tls.value)} />
      )}
      {isWarned && <p class="hint">{t.machine.firstVisit}</p>}
    </Section>
  );
}

/** Asks for root's token only where the agent does: away from the device itself. */
function EnableHttps({ onDone }: { readonly onDone: (tls: Tls) => void }) {
  const [isTokenAsked, askForToken] = useState(false);
  const form = useForm({ setup_token: "" }, async (body) => {
    try {
      onDone(await call("enableTls", { body: isTokenAsked ? body : {} }));
    } catch (error) {
      if (isTokenAsked || codeOf(error) !== "setup_token_required") throw error;
      askForToken(true);
    }
  });
  return (
    <Form form={form} kind="plain" verb={t.machine.enableHttps}>
      <p>{t.machine.httpsOpen}</p>
      {isTokenAsked && (
        <TextField
          {...form.field("setup_token", /^setup_token/)}
          label={t.machine.rootsToken}
          hint={[t.machine.rootsTokenHint, " ", <code key="typed">steward setup-token --rescue</code>]}
          spellcheck={false}
          isFirst
        />
      )}
    </Form>
  );
}

function itemsOf({ enabled, urls, problem, certificate }: Tls): Fact[] {
  if (!enabled)
    return [
      [
        t.machine.onLan,
        <>
          {t.machine.httpsOff} <code>steward tls enable</code>
        </>,
      ],
    ];
  return [
    [
      t.machine.addresses,
      problem === null ? (
        <Lines of={urls} areLinks />
      ) : (
        // The agent's own words are English.
        <span lang="en">{problem}</span>
      ),
    ],
    ...(certificate === null ? [] : ofCertificate(certificate)),
  ];
}

function ofCertificate({
  source,
  installed,
  not_after,
  fingerprint,
  pem,
}: NonNullable<Tls["certificate"]>): Fact[] {
  return [
    [
      t.machine.certificate,
      <div key="certificate" class="line between">
        {source === "self_made" ? t.machine.selfMade : t.machine.installed(visible(installed ?? ""))}
        <Button
          kind="quiet"
          label={`${t.machine.certificate}: ${t.ui.download}`}
          onClick={() => download(pem, "steward-certificate.pem", "application/x-pem-file")}
        >
          {t.ui.download}
        </Button>
      </div>,
    ],
    [
      t.machine.validUntil,
      <>
        {absoluteTime(new Date(not_after))}, <Time at={not_after} />
      </>,
    ],
    ["SHA\u2011256", <Octets key="fingerprint">{fingerprint}</Octets>],
  ];
}

/** An administrator's orders to the device, each with its effect. */
function ActionsSection({ onOpen }: { readonly onOpen: (what: Opened) => void }) {
  const status = useResource("getStatus").value;
  return (
    <Section title={t.machine.actions}>
      <ul class="machine-rows">
        <Row
          title={t.machine.backup}
          text={
            status && (
              <>
                {t.machine.lastBackup} <Time at={status.last_backup_at ?? null} />
              </>
            )
          }
        >
          <Button onClick={() => onOpen("backup")}>{t.machine.makeBackup}</Button>
        </Row>
        <Row title={t.machine.restart} text={t.machine.restartHint}>
          <Button onClick={() => onOpen("reboot")}>{t.machine.reboot}</Button>
        </Row>
        <Row title={t.machine.off} text={t.machine.powerOffText}>
          <Button onClick={() => onOpen("powerOff")}>{t.machine.powerOff}</Button>
        </Row>
        <SupportRow />
      </ul>
    </Section>
  );
}

/** Hands the person the archive of doctor, for people who help. */
function SupportRow() {
  const name = useStore(device)?.name ?? "";
  const gather = useAction(async () => {
    const response = await exchange("makeSupportBundle", {}, { patience: 500 });
    const archive = await fileOf(response);
    const fileName = fileNameOf(name, new Date(deviceNow()), ".tar.gz");
    download(archive, fileName, archive.type);
    toast(t.machine.fileMade(fileName, bytes(archive.size)));
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
        {t.ui.download}
      </Button>
    </Row>
  );
}

/** One of the actions below each other, with its effect beside its button. */
function Row({
  title,
  text,
  children,
}: {
  readonly title: string;
  readonly text: ComponentChildren;
  readonly children?: ComponentChildren;
}) {
  return (
    <li class="line between">
      <div>
        <h3>{title}</h3>
        <div class="hint">{text}</div>
      </div>
      {children && <div class="buttons">{children}</div>}
    </li>
  );
}
