import { useEffect, useRef } from "preact/hooks";
import { ProblemBox, ProblemView, titleOf } from "../../ui/problem-view.tsx";
import { refusedSettings } from "./errors.ts";

/** The reasons why settings were not saved: each refused one is a link to its field. A single one takes the keyboard too. */
export function Refusals({
  error,
  reveal,
}: {
  readonly error: unknown;
  readonly reveal: (pointer: string) => void;
}) {
  const root = useRef<HTMLDivElement>(null);
  const byPointer = new Map(refusedSettings(error).map((one) => [one.pointer, one]));
  const refused = inOrder([...byPointer.keys()]).flatMap((pointer) => byPointer.get(pointer) ?? []);
  useEffect(() => {
    if (error === null) return;
    const [first, ...others] = refused;
    if (first === undefined) root.current?.focus();
    else goTo(first.pointer, reveal, others.length > 0 ? root.current : null);
  }, [error]);
  return (
    <div ref={root} tabIndex={-1} class="refusals">
      {refused.length === 0 ? (
        <ProblemView error={error} />
      ) : (
        <ProblemBox title={titleOf(error)}>
          <ul class="bullets">
            {refused.map(({ pointer, name, sentence }) => (
              <li key={pointer}>
                <a
                  href={`#${pointer}`}
                  onClick={(event) => {
                    event.preventDefault();
                    goTo(pointer, reveal);
                  }}
                >
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

/** Brings a setting into sight, and once that is drawn puts the keyboard into its field, or into something else. */
export function goTo(
  pointer: string,
  reveal: (pointer: string) => void,
  instead: HTMLElement | null = null,
): void {
  reveal(pointer);
  requestAnimationFrame(() => {
    const setting = settingsInPage()[placeOf(pointer)];
    if (instead === null) type(invalidIn(setting)[0] ?? setting);
    else instead.focus();
  });
}

/** Settings as they follow each other in the page. */
export function inOrder(pointers: readonly string[]): readonly string[] {
  return pointers.toSorted((a, b) => placeOf(a) - placeOf(b));
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
