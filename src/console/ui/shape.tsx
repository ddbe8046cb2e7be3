const disc = "M8 1.5a6.5 6.5 0 1 1 0 13 6.5 6.5 0 0 1 0-13Z";

/** The filled shape, if there is one, and the lines, by name; drawn in a square of 16. */
const shapes = {
  good: [disc, "m5 8.3 2.1 2.2L11 6"],
  attention: ["M8 2 15 13.8H1Z", "M8 6.5v3.3m0 2v.1"],
  wrong: ["M5.3 1.5h5.4l3.8 3.8v5.4l-3.8 3.8H5.3l-3.8-3.8V5.3Z", "m5.7 5.7 4.6 4.6m0-4.6-4.6 4.6"],
  unknown: [null, `${disc}M5.3 8h5.4`],
  now: ["M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7Z", ""],
  ahead: [null, "M8 4.5a3.5 3.5 0 1 1 0 7 3.5 3.5 0 0 1 0-7Z"],
  close: [null, "m3.5 3.5 9 9m0-9-9 9"],
  more: [null, "M2.5 8h.1m5.4 0h.1m5.4 0h.1"],
  open: [null, "m4 6.3 4 4 4-4"],
  home: [null, "m2 7.5 6-5.5 6 5.5M4 6.5V14h8V6.5"],
  people: [
    null,
    "M6 3a2.3 2.3 0 1 1 0 4.6A2.3 2.3 0 0 1 6 3ZM1.5 13.5c.4-2.3 2.1-3.5 4.5-3.5s4.1 1.2 4.5 3.5M10.5 3.2a2.3 2.3 0 0 1 0 4.3m1.3 2.9c1.5.4 2.4 1.4 2.7 3.1",
  ],
  system: [
    null,
    "M2 4.5h6m4 0h2M2 11.5h2m4 0h6M10 2.6a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8Zm-4 7a1.9 1.9 0 1 1 0 3.8 1.9 1.9 0 0 1 0-3.8Z",
  ],
  find: [null, "M7 2a5 5 0 1 1 0 10A5 5 0 0 1 7 2Zm3.7 8.7L14 14"],
  updates: [null, "M13.5 8A5.5 5.5 0 1 1 11.6 3.8M11.8 1v3H8.9"],
  person: [null, "M8 2a2.8 2.8 0 1 1 0 5.6A2.8 2.8 0 0 1 8 2ZM2.5 14c.5-2.7 2.6-4 5.5-4s5 1.3 5.5 4"],
  up: [null, "M8 13.5v-11m-4 4 4-4 4 4"],
  down: [null, "M8 2.5v11m-4-4 4 4 4-4"],
  device: ["m8 1 7 7-7 7-7-7Z", "M8 4.8v3.5l2.2 1.4"],
} as const satisfies Readonly<Record<string, readonly [string | null, string]>>;

export type ShapeName = keyof typeof shapes;

/** A small drawing that goes with a word, or with a label that says the same. */
export function Shape({ name }: { readonly name: ShapeName }) {
  const [filled, lines] = shapes[name];
  return (
    <svg class="shape" viewBox="0 0 16 16" aria-hidden="true">
      {filled && <path class="full" d={filled} />}
      <path class={filled ? "cut" : undefined} d={lines} />
    </svg>
  );
}
