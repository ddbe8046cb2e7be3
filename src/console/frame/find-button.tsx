import { useEffect } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { createStore, useStore } from "../store.ts";
import { Button } from "../ui/button.tsx";
import { bodyOf } from "../ui/page.tsx";
import { Shape } from "../ui/shape.tsx";

const isFinding = createStore(false);

export function FindButton() {
  return (
    <Button kind="icon" label={`${t.frame.find} (${t.frame.findKeys})`} onClick={() => isFinding.set(true)}>
      <Shape name="find" />
    </Button>
  );
}

/** The search, once it is asked for: by the button, or by Ctrl-K from anywhere. */
export function Finder() {
  const isOpen = useStore(isFinding);
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey)) return;
      if (event.altKey || event.shiftKey) return;
      event.preventDefault();
      // Over another question it would take the answer away.
      if (document.querySelector("dialog[open]") === null) isFinding.set(true);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return isOpen ? <Palette onClose={() => isFinding.set(false)} /> : null;
}

const Palette = bodyOf("palette", 0);
