import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { guardLeaving } from "../navigation/navigation.ts";
import { Button } from "./button.tsx";
import { download } from "./download.ts";

/** A text that is shown only once: it can be copied and, if a file name is given, downloaded and printed without the page. */
export function Secret({
  label,
  text,
  shown = text,
  fileName,
}: {
  readonly label: string;
  readonly text: string;
  /** The form for people who type it. */
  readonly shown?: string;
  readonly fileName?: string;
}) {
  const place = useRef<HTMLPreElement>(null);
  const [said, copy] = useCopy(text, place);
  return (
    <section class="secret" aria-label={label}>
      <pre ref={place}>{shown}</pre>
      <div class="buttons">
        <Button onClick={copy}>{t.ui.copy}</Button>
        {fileName && (
          <Button onClick={() => download(`${text}\n`, fileName, "text/plain")}>{t.ui.download}</Button>
        )}
        {fileName && <Button onClick={() => print()}>{t.ui.print}</Button>}
        {/* A toast would be behind the dialog. */}
        <span role="status">{said}</span>
      </div>
    </section>
  );
}

interface ShownOnceProps {
  /** The sentence above it. */
  readonly said: string;
  readonly label: string;
  readonly text: string;
  readonly onClose: () => void;
  /** Below the secret. */
  readonly children?: ComponentChildren;
}

/** A secret in a dialog: leaving asks first, until the person says that it is kept. */
export function ShownOnce({ said, label, text, onClose, children }: ShownOnceProps) {
  const isKept = useRef(false);
  useEffect(() => guardLeaving(() => (isKept.current ? false : "secret")), []);
  return (
    <>
      <p role="status">{said}</p>
      <Secret label={label} text={text} />
      {children}
      <div class="buttons">
        <Button
          kind="primary"
          onClick={() => {
            isKept.current = true;
            onClose();
          }}
        >
          {t.ui.done}
        </Button>
      </div>
    </>
  );
}

/** Copies a text, and says so. Over plain HTTP a page has no clipboard: there the place is marked, to be copied by hand. */
export function useCopy(
  text: string,
  place: RefObject<HTMLElement | null>,
): [said: string, copy: () => void] {
  const [said, setSaid] = useState("");
  const mark = (): void => {
    if (place.current !== null) getSelection()?.selectAllChildren(place.current);
    setSaid(t.ui.marked);
  };
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    setSaid(t.ui.copied);
  };
  return [said, () => void copy().catch(mark)];
}
