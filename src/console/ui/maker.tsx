import type { ConsoleGreeting } from "../../contract/types.ts";

/** The maker of the product, with the address at which it helps. */
export function Maker({ name, support }: NonNullable<ConsoleGreeting["maker"]>) {
  return (
    <p class="maker">
      <bdi>{name}</bdi>
      {support !== null && <a href={`${schemeOf(support)}${support}`}>{support}</a>}
    </p>
  );
}

function schemeOf(address: string): string {
  if (address.startsWith("+")) return "tel:";
  return address.startsWith("https:") ? "" : "mailto:";
}
