import { useEffect, useRef } from "preact/hooks";
import { ProblemBox, ProblemView, titleOf } from "../../ui/problem-view.tsx";
import { refusedSettings } from "./errors.ts";

/**
 * Says above the settings why they were not saved: each one that was refused is a link to its field. A single one takes
 * the keyboard at once, because its field says the same.
 */
export function Refusals({ error }: { readonly error: unknown }) {
  const root = useRef<HTMLDivElement>(null);
  const refused = refusedSettings(error).toSorted((a, b) => placeOf(a.pointer) - placeOf(b.pointer));
  useEffect(() => {
    if (error === null) return;
    const fields = invalidIn(root.current?.parentElement);
    if (fields.length === 1) type(fields[0]);
    else root.current?.focus();
  }, [error]);
  return (
    <div ref={root} tabIndex={-1} class="refusals">
      {refused.length === 0 ? (
        <ProblemView error={error} />
      ) : (
        <ProblemBox title={titleOf(error)}>
          <ul>
            {refused.map(({ pointer, name, sentence }) => (
              <li key={pointer}>
                <a href={`#${pointer}`} onClick={(event) => goTo(event, pointer)}>
                  {name}
                </a>
                : {sentence}
              </li>
            ))}
          </ul>
        </ProblemBox>
      )}
    </div>
  );
}

/** Puts the keyboard into the field of a setting. */
function goTo(event: MouseEvent, pointer: string): void {
  event.preventDefault();
  const setting = settingsInPage()[placeOf(pointer)];
  type(invalidIn(setting)[0] ?? setting);
}

/** Puts the keyboard into a field, or into the first one within it. */
function type(field: HTMLElement | undefined): void {
  const inputs = "input, select";
  (field?.matches(inputs) ? field : field?.querySelector<HTMLElement>(inputs))?.focus();
}

/** Which one in the page a setting is, from 0 on; the pointer may lead into it. */
function placeOf(pointer: string): number {
  return settingsInPage().findIndex(({ dataset }) => `${pointer}/`.startsWith(`${dataset.setting}/`));
}

function settingsInPage(): readonly HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-setting]")];
}

function invalidIn(element: Element | null | undefined): readonly HTMLElement[] {
  return [...(element?.querySelectorAll<HTMLElement>("[aria-invalid]") ?? [])];
}
