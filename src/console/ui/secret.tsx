import { useEffect, useRef, useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { guardLeaving } from "../navigation/navigation.ts";
import { Button } from "./button.tsx";

/** Something that is shown this once: to copy, and where a name is given to download and to print, without the page. */
export function Secret({
  label,
  text,
  shown = text,
  fileName,
}: {
  readonly label: string;
  readonly text: string;
  /** The same for people who type it. */
  readonly shown?: string;
  readonly fileName?: string;
}) {
  const place = useRef<HTMLPreElement>(null);
  const [said, setSaid] = useState("");
  return (
    <section class="secret" aria-label={label}>
      <pre ref={place}>{shown}</pre>
      <div class="buttons">
        <Button onClick={() => void copyText(text, place.current).then(setSaid)}>{t.ui.copy}</Button>
        {fileName && <Button onClick={() => download(text, fileName)}>{t.ui.download}</Button>}
        {fileName && <Button onClick={() => print()}>{t.ui.print}</Button>}
        {/* Not a toast: it would lie behind the dialog. */}
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
}

/** A secret in a dialog: leaving asks first, until the person says that it is kept. */
export function ShownOnce({ said, label, text, onClose }: ShownOnceProps) {
  const isKept = useRef(false);
  useEffect(() => guardLeaving(() => (isKept.current ? false : "secret")), []);
  return (
    <>
      <p role="status">{said}</p>
      <Secret label={label} text={text} />
      <div class="buttons">
        <Button
          kind="primary"
          onClick={() => {
            isKept.current = true;
            onClose();
          }}
        >
          {t.person.done}
        </Button>
      </div>
    </>
  );
}

/** What came of it. Over plain HTTP a page has no clipboard: there the place is marked, for the person to copy. */
export async function copyText(text: string, place: HTMLElement | null): Promise<string> {
  try {
    await navigator.clipboard.writeText(text);
    return t.ui.copied;
  } catch {
    if (place !== null) getSelection()?.selectAllChildren(place);
    return t.ui.marked;
  }
}

function download(text: string, fileName: string): void {
  const address = URL.createObjectURL(new Blob([`${text}\n`], { type: "text/plain" }));
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  URL.revokeObjectURL(address);
}
