import type { Health, Facts as HostFacts, Need, Status, Version } from "../../../contract/types.ts";
import { bytes, figure, longDuration, withUnit } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { FillMeter } from "../../needs/fill-meter.tsx";
import { colourOf, needsAbout } from "../../needs/how.ts";
import { needInWords } from "../../needs/need-words.ts";
import { Badge } from "../../ui/badge.tsx";
import { type Fact, Facts, Pending, Section } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { Said } from "../../ui/spoken.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import { checkName } from "../../ui/words/health-words.ts";
import { ClockSection } from "../clock/clock-section.tsx";
import "../../styles/parts/clock.css";
import "../../styles/parts/plot.css";

export function OverviewPage() {
  return (
    <>
      <ClockSection />
      <HostSection />
    </>
  );
}

/** The state of the host and its storage; behind a fold its hardware and software. */
function HostSection() {
  const facts = useResource("getSystemFacts");
  const health = useResource("getHealth");
  const version = useResource("getVersion");
  const status = useResource("getStatus");
  const needs = needsAbout("host", status.value?.needs ?? []);
  return (
    <Section title={t.home.host}>
      <ReadProblem of={[facts, health, version, status]} />
      {health.value === null || status.value === null ? (
        <Pending of={{ error: health.error ?? status.error }} lines={1} />
      ) : (
        <Troubles health={health.value} needs={needs} />
      )}
      <div class="rows-of-two">
        {facts.value === null ? (
          <Pending of={facts} lines={6} />
        ) : (
          <Facts items={itemsOfHost(facts.value, status.value?.host.disk ?? null, needs)} />
        )}
      </div>
      <details class="more">
        <summary>{t.clock.details}</summary>
        <div class="clock-pictures">
          <div>
            <h3>{t.facts.versions}</h3>
            {version.value === null ? (
              <Pending of={version} lines={6} />
            ) : (
              <Facts items={itemsOfVersion(version.value)} />
            )}
          </div>
          <div>
            <h3>{t.facts.machine}</h3>
            {facts.value === null ? (
              <Pending of={facts} lines={3} />
            ) : (
              <Facts items={itemsOfMachine(facts.value)} />
            )}
            <h3>{t.facts.health}</h3>
            {health.value === null ? (
              <Pending of={health} lines={1} />
            ) : (
              <p>{[...new Set(health.value.checks?.map(({ name }) => checkName(name)))].join(", ")}</p>
            )}
          </div>
        </div>
      </details>
    </Section>
  );
}

/** The facts that people look for first: storage, temperatures and the names of the device. */
function itemsOfHost(facts: HostFacts, own: Status["host"]["disk"], needs: readonly Need[]): Fact[] {
  const { memory, disks, temperatures } = facts;
  const isFull = needs.some(({ code }) => code === "disk");
  const isOwn = ({ size_bytes }: HostFacts["disks"][number]): boolean => size_bytes === own?.size_bytes;
  // The state may be in a container or a union of file systems, which no list of disks has.
  const unlisted = own === null || disks.some(isOwn) ? [] : [own];
  return [
    ...disks.map((disk) =>
      share(t.facts.disk(visible(disk.mount)), disk.available_bytes, disk.size_bytes, isFull && isOwn(disk)),
    ),
    ...unlisted.map((disk) => share(t.facts.ownDisk, disk.available_bytes, disk.size_bytes, isFull)),
    share(t.home.memory, memory.available_bytes, memory.total_bytes),
    ...temperatures.map(
      ({ sensor, celsius }): Fact =>
        celsius !== null && [t.facts.temperature(visible(sensor)), withUnit(figure(celsius, 1), "°C")],
    ),
    [t.facts.uptime, longDuration(facts.uptime_seconds)],
    [t.facts.hostname, <bdi key="name">{facts.hostname}</bdi>],
    [t.facts.timeZone, facts.time_zone],
  ];
}

function itemsOfMachine({ cpu, memory, load, manufacturer, model }: HostFacts): Fact[] {
  const name = [manufacturer, model].filter(Boolean).join(" ");
  return [
    name !== "" && [t.facts.model, visible(name)],
    [t.facts.processor, [cpu.model, t.facts.cores(cpu.cores)].filter(Boolean).join(", ")],
    [t.facts.load, `${load.map((one) => figure(one, 2)).join(" · ")} (1, 5, 15 min)`],
    memory.swap_total_bytes > 0 && share(t.facts.swap, memory.swap_free_bytes, memory.swap_total_bytes),
  ];
}

function share(name: string, free: number, total: number, isFull = false): Fact {
  return [
    name,
    <>
      <div>{t.facts.free(bytes(free), bytes(total))}</div>
      <FillMeter name={name} free={free} total={total} isFull={isFull} />
    </>,
  ];
}

/** Lists the needs of the host as Home does, or says that there are none. */
function Troubles({ health, needs }: { readonly health: Health; readonly needs: readonly Need[] }) {
  const { status, checks = [] } = health;
  const calm = status === "ok" ? t.facts.allWell(checks.length) : t.home.inOrder;
  return (
    <ul class="facts-checks">
      {needs.map((need) => {
        const words = needInWords(need);
        return (
          <li key={need.code}>
            <Badge state={colourOf(need)}>{words?.title ?? need.detail}</Badge>{" "}
            {words !== null && <Said sentence={words.text} />}
          </li>
        );
      })}
      {needs.length === 0 && (
        <li>
          <Badge state="good">{calm}</Badge>
        </li>
      )}
    </ul>
  );
}

function itemsOfVersion(version: Version): Fact[] {
  const { commit, build_date, node, os, kernel, arch, device_id, rules_version, support_until } = version;
  const { product } = version;
  return [
    [t.facts.agent, version.version],
    support_until != null && [t.facts.supportUntil, support_until],
    product && [t.facts.product, `${product.name} ${product.version ?? ""}`],
    rules_version != null && [t.home.kinds.rules, rules_version],
    commit != null && [t.facts.commit, <code key="commit">{commit.slice(0, 12)}</code>],
    build_date != null && [t.facts.buildDate, <Time key="built" at={build_date} />],
    os !== undefined && [t.facts.os, os],
    kernel !== undefined && [t.facts.kernel, [kernel, arch].filter(Boolean).join(", ")],
    node !== undefined && ["Node.js", node],
    device_id !== undefined && [t.facts.deviceId, <code key="id">{device_id}</code>],
  ];
}

export const pages = { "/system": OverviewPage };
