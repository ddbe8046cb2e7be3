import type { ComponentChildren } from "preact";
import type { Tls } from "../../../contract/types.ts";
import { absoluteTime } from "../../catalogue/formats.ts";
import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { Facts, Pending, Section } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import { Lines } from "./network-section.tsx";
import { Octets } from "./octets.tsx";

/** HTTPS on the LAN and the certificate that browsers are shown. */
export function HttpsSection() {
  const tls = useResource("getTls");
  return (
    <Section title="HTTPS">
      <ReadProblem of={[tls]} />
      {tls.value === null ? <Pending of={tls} lines={4} /> : <Facts items={itemsOf(tls.value)} />}
    </Section>
  );
}

type Items = (readonly [string, ComponentChildren])[];

function itemsOf({ enabled, urls, problem, certificate }: Tls): Items {
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
        <Lines of={urls} />
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
}: NonNullable<Tls["certificate"]>): Items {
  return [
    [
      t.machine.certificate,
      source === "self_made" ? t.machine.selfMade : t.machine.installed(visible(installed ?? "")),
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
