import type { ComponentChildren } from "preact";
import type { Facts as HostFacts } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { Facts, Pending, Section } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { visible } from "../../ui/visible.ts";

/** The network as the operating system has set it up; nothing of it is changed here. */
export function NetworkSection() {
  const facts = useResource("getSystemFacts");
  return (
    <Section title={t.machine.network}>
      <ReadProblem of={[facts]} />
      {facts.value === null ? (
        <Pending of={facts} lines={4} />
      ) : (
        <Facts items={itemsOf(facts.value.network)} />
      )}
    </Section>
  );
}

function itemsOf({ interfaces, gateways, name_servers }: HostFacts["network"]) {
  return [
    ...interfaces.map(
      ({ name, mac, addresses }) => [visible(name), <Lines key={name} of={[...addresses, mac]} />] as const,
    ),
    [t.machine.gateway, <Lines key="gateway" of={gateways} />],
    [t.machine.nameServers, <Lines key="servers" of={name_servers} />],
  ] as const;
}

/** One below the other; a dash for none. */
export function Lines({ of }: { readonly of: readonly string[] }): ComponentChildren {
  if (of.length === 0) return "–";
  return (
    <ul>
      {of.map((one) => (
        <li key={one}>{visible(one)}</li>
      ))}
    </ul>
  );
}
