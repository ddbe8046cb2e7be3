import { useRef } from "preact/hooks";
import { t, wordFor } from "../catalogue/words.ts";
import type { ExplanationProps } from "../client/parts.ts";
import { Link } from "../navigation/link.tsx";
import { place } from "../navigation/navigation.ts";
import { phase } from "../session/session.ts";
import { useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { useCopy } from "../ui/secret.tsx";
import { sectionAbout } from "./documents.ts";
import { commands, places, type Remedy, remedyFor } from "./remedies.ts";

/** The cause of a problem, the one button that leads to what helps, and the document that says more. */
export function Body({ code, advice, onRetry, isForm = false }: ExplanationProps) {
  const cause = advice ?? wordFor<string>(t.causes, code);
  const section = sectionAbout(code);
  return (
    <>
      {cause && <p>{cause}</p>}
      <RemedyButton remedy={remedyFor(code)} onRetry={onRetry} isForm={isForm} />
      {section && (
        <p>
          {/* Beside the page, whose entries stay. */}
          <a href={`/docs/${section}`} target="_blank" hreflang="en" rel="noopener">
            {t.remedies.document}
          </a>
        </p>
      )}
    </>
  );
}

function RemedyButton({
  remedy,
  onRetry,
  isForm,
}: Pick<ExplanationProps, "onRetry"> & { readonly remedy: Remedy; readonly isForm: boolean }) {
  const present = useStore(place).path;
  const isInside = useStore(phase) === "signed-in";
  if (isCommand(remedy)) return <Command text={commands[remedy]} />;
  if (isPlace(remedy)) {
    const to = places[remedy];
    // A page that is in sight already, or behind the sign-in, does not help.
    if (!isInside || to.split("#")[0] === present) return null;
    return (
      <div class="buttons">
        <Link to={to} className="button">
          {t.remedies[remedy]}
        </Link>
      </div>
    );
  }
  // The form has a button that sends it again.
  if (remedy === "entry" || (remedy === "retry" && isForm) || (remedy === "signIn" && !isInside)) return null;
  const work = remedy === "retry" && onRetry ? onRetry : () => location.reload();
  return (
    <div class="buttons">
      <Button onClick={work}>
        {remedy !== "retry" ? t.remedies[remedy] : onRetry ? t.ui.again : t.remedies.reload}
      </Button>
    </div>
  );
}

/** A command that only root can run, on the device. */
function Command({ text }: { readonly text: string }) {
  const shown = useRef<HTMLElement>(null);
  const [said, copy] = useCopy(text, shown);
  return (
    <>
      <p>{t.remedies.asRoot}</p>
      <p>
        <code ref={shown}>{text}</code>
      </p>
      <div class="buttons">
        <Button onClick={copy}>{t.remedies.copy}</Button>
        <span role="status">{said}</span>
      </div>
    </>
  );
}

function isCommand(remedy: Remedy): remedy is keyof typeof commands {
  return Object.hasOwn(commands, remedy);
}

function isPlace(remedy: Remedy): remedy is keyof typeof places {
  return Object.hasOwn(places, remedy);
}

/** The ways in for a person who cannot sign in. */
export function Help() {
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
