import { usePart, type WeekLineProps } from "../client/parts.ts";

/** The place of a line of seven days, which the page that it leads to draws: that is loaded behind this one. */
export function Week({ of }: WeekLineProps) {
  const part = usePart("history", false);
  return <div class="week">{part && <part.Body of={of} />}</div>;
}
