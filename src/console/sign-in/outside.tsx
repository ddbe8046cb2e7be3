import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { chooseLanguage } from "../catalogue/wanted-language.ts";
import { language, languageName, languages } from "../catalogue/words.ts";
import { device, greeting, useGreeting } from "../client/connection.ts";
import { accentColour } from "../client/face.ts";
import { useStore } from "../store.ts";
import { ConnectionState } from "../ui/connection-state.tsx";
import { showInIcon } from "../ui/favicon.ts";
import { focusContent } from "../ui/focus.ts";
import { Maker, MakerMark } from "../ui/maker.tsx";
import { Page } from "../ui/page.tsx";
import { Shape } from "../ui/shape.tsx";

export function Outside({
  title,
  isWide = false,
  children,
}: {
  readonly title: string;
  /** True: the page has more than a few fields. */
  readonly isWide?: boolean;
  readonly children: ComponentChildren;
}) {
  const deviceName = useStore(device)?.name;
  const maker = useStore(greeting)?.maker ?? null;
  const colour = useStore(accentColour);
  useEffect(() => showInIcon("ok"), [colour]);
  // After signing in, the keyboard is at the head of the next page.
  useEffect(() => () => void setTimeout(focusContent), []);
  return (
    <div class={isWide ? "outside setup" : "outside"}>
      <ConnectionState />
      <header class="device">
        <MakerMark alt={maker?.name}>
          <Shape name="device" />
        </MakerMark>
        <span dir="auto">{deviceName}</span>
      </header>
      <main>
        <Page title={title}>{children}</Page>
      </main>
      <footer>
        <Languages />
        {maker && <Maker {...maker} />}
      </footer>
    </div>
  );
}

/** The words that the device's operator greets everybody with; nothing where there are none. */
export function Greeting() {
  const banner = useGreeting()?.banner ?? "";
  return banner === "" ? null : (
    <p class="greeting" dir="auto">
      {banner}
    </p>
  );
}

function Languages() {
  return (
    <div class="languages">
      {languages().map((one) => (
        <button
          key={one}
          type="button"
          class="button quiet"
          lang={one}
          aria-pressed={one === language}
          onClick={() => chooseLanguage(one)}
        >
          {languageName(one)}
        </button>
      ))}
    </div>
  );
}
