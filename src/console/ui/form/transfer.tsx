import { bytes } from "../../catalogue/formats.ts";

/** A file under way, with the bytes that are through. A screen reader hears that it goes on, and not each figure. */
export function Transfer({
  label,
  bytes: count,
  of,
}: {
  readonly label: string;
  readonly bytes: number;
  /** The size of the whole; undefined: it is known at the end only. */
  readonly of?: number;
}) {
  return (
    <>
      <p>
        <span role="status">{label}</span>{" "}
        <span aria-hidden="true">{of === undefined ? bytes(count) : `${bytes(count)} / ${bytes(of)}`}</span>
      </p>
      <progress aria-label={label} {...(of && { value: count, max: of })} />
    </>
  );
}
