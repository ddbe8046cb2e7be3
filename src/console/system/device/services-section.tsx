import { t, wordFor } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Facts, Section } from "../../ui/page.tsx";
import { visible } from "../../ui/visible.ts";

/** Colours of systemd's states; the others pass by themselves, or are a person's choice. */
const colours: Readonly<Record<string, "good" | "wrong">> = {
  active: "good",
  reloading: "good",
  failed: "wrong",
  "not-found": "wrong",
};

/** The product's services, where the host file names any, each with the way to its log. */
export function ServicesSection() {
  const services = useResource("getSystemFacts").value?.services ?? [];
  if (services.length === 0) return null;
  return (
    <Section title={t.machine.services}>
      <Facts
        items={services.map(({ unit, state }) => [
          visible(unit),
          <div key={unit} class="line between">
            <Badge state={wordFor(colours, state ?? "") ?? "unknown"}>
              {wordFor(t.machine.serviceStates, state ?? "") ?? state ?? t.machine.unknownState}
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
