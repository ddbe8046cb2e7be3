import { t } from "../catalogue/words.ts";

/** The ways in for a person who cannot sign in. */
export function KeptOut() {
  return (
    <ul class="bullets">
      {t.keptOut.ways.map((way) => (
        <li key={way}>{way}</li>
      ))}
      <li>
        {t.keptOut.byRoot} <code>steward user rescue NAME</code>
      </li>
    </ul>
  );
}
