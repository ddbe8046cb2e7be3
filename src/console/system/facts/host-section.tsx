import type { ComponentChildren, ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { Health, Facts as HostFacts, Version } from "../../../contract/types.ts";
import { bytes, figure, longDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { useAction } from "../../client/use-action.ts";
import { useResource } from "../../client/use-resource.ts";
import { loadPart } from "../../parts/load-part.ts";
import { SheetButton } from "../../print/sheet-button.tsx";
import { isOneOf } from "../../session/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { checkName, healthSentence } from "../../ui/health-words.ts";
import { Facts, Section, Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { Said } from "../../ui/spoken.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";

/** Share of a disk or of the memory from which on it is called full. */
const fullShare = 0.9;

/** How the host does, what fills up, and behind a fold what it is and what runs on it. */
export function HostSection() {
  const facts = useResource("getSystemFacts");
  const health = useResource("getHealth");
  const version = useResource("getVersion");
  return (
    <Section title={t.facts.title}>
      <ReadProblem of={[facts, health, version]} />
      {health.value === null ? <Skeleton lines={1} /> : <Troubles health={health.value} />}
      <div class="rows-of-two">
        {facts.value === null ? <Skeleton lines={6} /> : <Facts items={itemsOfHost(facts.value)} />}
      </div>
      <div class="buttons clock-rare">
        <SheetButton />
        {isOneOf("admin") && <Manage onDone={facts.reload} />}
      </div>
      <details class="more">
        <summary>{t.facts.details}</summary>
        <div class="clock-pictures">
          <div>
            <h3>{t.facts.versions}</h3>
            {version.value !== null && <Facts items={itemsOfVersion(version.value)} />}
          </div>
          <div>
            <h3>{t.facts.machine}</h3>
            {facts.value !== null && <Facts items={itemsOfMachine(facts.value)} />}
            <h3>{t.facts.health}</h3>
            {health.value !== null && <p>{namesOfChecks(health.value).join(", ")}</p>}
          </div>
        </div>
      </details>
    </Section>
  );
}

/** Its dialog is loaded when it is asked for. */
function Manage({ onDone }: { readonly onDone: () => void }) {
  const [Body, setBody] = useState<ComponentType<{ readonly onClose: () => void }> | null>(null);
  const opening = useAction(async () => {
    const machine = await loadPart("machine", () => import("../../parts/machine.ts"));
    setBody(() => machine.Body);
  });
  const close = (): void => {
    setBody(null);
    onDone();
  };
  return (
    <>
      <Button isBusy={opening.isBusy} onClick={() => void opening.run()}>
        {t.facts.manage}
      </Button>
      {Body && <Body onClose={close} />}
    </>
  );
}

type Items = (readonly [string, ComponentChildren])[];

/** What one looks for first: what fills up or grows hot, and how the device is called. */
function itemsOfHost(facts: HostFacts): Items {
  const { memory, disks, temperatures } = facts;
  return [
    ...disks.map((disk) => share(t.facts.disk(visible(disk.mount)), disk.available_bytes, disk.size_bytes)),
    share(t.facts.memory, memory.available_bytes, memory.total_bytes),
    ...temperatures.flatMap(({ sensor, celsius }) =>
      celsius === null ? [] : [[t.facts.temperature(visible(sensor)), `${figure(celsius, 1)} °C`] as const],
    ),
    [t.facts.uptime, longDuration(facts.uptime_seconds)],
    [t.facts.hostname, <bdi key="name">{facts.hostname}</bdi>],
    [t.facts.timeZone, facts.time_zone],
  ];
}

function itemsOfMachine({ cpu, memory, load, manufacturer, model }: HostFacts): Items {
  const name = [manufacturer, model].filter(Boolean).join(" ");
  return [
    ...(name === "" ? [] : [[t.facts.model, visible(name)] as const]),
    [t.facts.processor, [cpu.model, t.facts.cores(cpu.cores)].filter(Boolean).join(", ")],
    [t.facts.load, `${load.map((one) => figure(one, 2)).join(" · ")} (1, 5, 15 min)`],
    ...(memory.swap_total_bytes === 0
      ? []
      : [share(t.facts.swap, memory.swap_free_bytes, memory.swap_total_bytes)]),
  ];
}

function share(name: string, free: number, total: number): Items[number] {
  const isFull = total > 0 && (total - free) / total > fullShare;
  return [
    name,
    <>
      <div>
        {t.facts.free(bytes(free), bytes(total))}{" "}
        {isFull && <Badge state="attention">{t.facts.nearlyFull}</Badge>}
      </div>
      <meter aria-label={name} max={total} value={total - free} high={total * fullShare} />
    </>,
  ];
}

/** Each part in trouble with its fault, or that there is none. */
function Troubles({ health: { checks = [] } }: { readonly health: Health }) {
  const troubles = checks.filter(({ status }) => status !== "ok");
  return (
    <ul class="facts-checks">
      {troubles.map((check, index) => (
        <li key={index}>
          <Badge state={check.status === "rescue" ? "wrong" : "attention"}>{checkName(check.name)}</Badge>{" "}
          <Said sentence={healthSentence(check)} />
        </li>
      ))}
      {troubles.length === 0 && (
        <li>
          <Badge state="good">{t.facts.allWell(checks.length)}</Badge>
        </li>
      )}
    </ul>
  );
}

/** Of all that is checked, each once. */
function namesOfChecks({ checks = [] }: Health): string[] {
  return [...new Set(checks.map(({ name }) => checkName(name)))];
}

function itemsOfVersion(version: Version): Items {
  const { commit, build_date, node, os, kernel, arch, device_id, rules_version, support_until } = version;
  const items: (readonly [string, ComponentChildren] | false | undefined)[] = [
    [t.facts.agent, version.version],
    support_until != null && [t.facts.supportUntil, support_until],
    rules_version != null && [t.facts.rules, rules_version],
    commit != null && [t.facts.commit, <code key="commit">{commit.slice(0, 12)}</code>],
    build_date != null && [t.facts.buildDate, <Time key="built" at={build_date} />],
    os !== undefined && [t.facts.os, os],
    kernel !== undefined && [t.facts.kernel, [kernel, arch].filter(Boolean).join(", ")],
    node !== undefined && ["Node.js", node],
    device_id !== undefined && [t.facts.deviceId, <code key="id">{device_id}</code>],
  ];
  return items.filter((item) => item !== false && item !== undefined);
}
