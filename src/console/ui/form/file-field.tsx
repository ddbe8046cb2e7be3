import { useLayoutEffect, useRef } from "preact/hooks";
import { Field, type FieldProps } from "./field.tsx";

/** A field for one file, which is chosen, or dropped anywhere on the page. */
export function FileField({
  accept,
  onInput,
  isDisabled,
  ...about
}: FieldProps & {
  /** The ending of its name, such as `.age`. */
  readonly accept: string;
  readonly onInput: (file: File | null) => void;
}) {
  const field = useRef<HTMLInputElement>(null);
  // Before the field is seen: a file that is dropped earlier would be opened instead of the page.
  useLayoutEffect(() => {
    // Elsewhere than on the field, a browser would leave the page and open the file.
    const take = (event: DragEvent): void => {
      const { current } = field;
      if (current === null || event.target === current) return;
      event.preventDefault();
      const files = event.dataTransfer?.files;
      if (event.type !== "drop" || !files?.[0] || current.disabled) return;
      current.files = files;
      onInput(files[0]);
    };
    const kinds = ["dragover", "drop"] as const;
    for (const kind of kinds) addEventListener(kind, take);
    return () => {
      for (const kind of kinds) removeEventListener(kind, take);
    };
  });
  return (
    <Field
      {...about}
      control={(ids) => (
        <input
          {...ids}
          ref={field}
          type="file"
          accept={accept}
          disabled={isDisabled}
          onChange={({ currentTarget }) => onInput(currentTarget.files?.[0] ?? null)}
        />
      )}
    />
  );
}
