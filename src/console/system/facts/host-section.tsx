import type { ComponentChildren, ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { Health, Facts as HostFacts, Version } from "../../../contract/types.ts";
import { bytes, figure, shortDuration } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { useAction } from "../../client/use-action.ts";
import { useResource } from "../../client/use-resource.ts";
import { loadPart } from "../../parts/load-part.ts";
import { isOneOf } from "../../session/session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { checkName, healthSentence } from "../../ui/health-words.ts";
import { Facts, Section, Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { Said } from "../../ui/spoken.tsx";
import { Time } from "../../ui/time.tsx";

/** Share of a disk or of the memory from which on it is called full. */
const fullShare = 0.9;

/** What the host is, how it does, and what runs on it. */
export function HostSection() {
  const facts = useResource("getSystemFacts");
  const health = useResource("getHealth");
  const version = useResource("getVersion");
  return (
    <div class="clock-pictures">
      <Section title={t.facts.title} action={isOneOf("admin") && <Manage onDone={facts.reload} />}>
        <ReadProblem of={[facts, health, version]} />
        {facts.value === null ? <Skeleton lines={8} /> : <Facts items={itemsOfHost(facts.value)} />}
      </Section>
      <div>
        <Section title={t.facts.health}>
          {health.value === null ? <Skeleton /> : <Checks health={health.value} />}
        </Section>
        <Section title={t.facts.versions}>
          {version.value === null ? <Skeleton /> : <Facts items={itemsOfVersion(version.value)} />}
        </Section>
      </div>
    </div>
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

function itemsOfHost(facts: HostFacts): Items {
  const { cpu, memory, disks, temperatures } = facts;
  const model = [facts.manufacturer, facts.model].filter(Boolean).join(" ");
  return [
    [t.facts.hostname, facts.hostname],
    [t.facts.timeZone, facts.time_zone],
    ...(model === "" ? [] : [[t.facts.model, model] as const]),
    [t.facts.processor, [cpu.model, t.facts.cores(cpu.cores)].filter(Boolean).join(", ")],
    [t.facts.load, `${facts.load.map((one) => figure(one, 2)).join(" · ")} (1, 5, 15 min)`],
    share(t.facts.memory, memory.available_bytes, memory.total_bytes),
    ...(memory.swap_total_bytes === 0
      ? []
      : [share(t.facts.swap, memory.swap_free_bytes, memory.swap_total_bytes)]),
    ...disks.map((disk) => share(t.facts.disk(disk.mount), disk.available_bytes, disk.size_bytes)),
    ...temperatures.flatMap(({ sensor, celsius }) =>
      celsius === null ? [] : [[t.facts.temperature(sensor), `${figure(celsius, 1)} °C`] as const],
    ),
    [t.facts.uptime, shortDuration(facts.uptime_seconds)],
  ];
}

function share(name: string, free: number, total: number): Items[number] {
  const text = t.facts.free(bytes(free), bytes(total));
  return [
    name,
    <>
      <meter aria-label={name} max={total} value={total - free} high={total * fullShare} />
      <div>{text}</div>
    </>,
  ];
}

/** The parts in trouble with their faults, the others by their names. */
function Checks({ health: { checks = [] } }: { readonly health: Health }) {
  const well = new Set(checks.flatMap(({ name, status }) => (status === "ok" ? [checkName(name)] : [])));
  return (
    <ul class="facts-checks">
      {checks.map(
        (check, index) =>
          check.status !== "ok" && (
            <li key={index}>
              <Badge state={check.status === "rescue" ? "wrong" : "attention"}>{checkName(check.name)}</Badge>{" "}
              <Said sentence={healthSentence(check)} />
            </li>
          ),
      )}
      {well.size > 0 && (
        <li>
          <Badge state="good">{t.facts.well}</Badge> <span class="hint">{[...well].join(", ")}</span>
        </li>
      )}
    </ul>
  );
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
