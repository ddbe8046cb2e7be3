import type { ComponentType } from "preact";
import { type BodyPart, type PropsOf, usePart } from "../client/parts.ts";
import { Skeleton } from "./page.tsx";

/**
 * The body of a part as a component, which loads it when it is first drawn. So many lines keep its place until then; 0: it
 * has none, such as a dialog.
 */
export function bodyOf<P extends BodyPart>(part: P, lines: number): ComponentType<PropsOf<P>> {
  return (props) => {
    const Body = usePart(part)?.Body as ComponentType<PropsOf<P>> | undefined;
    if (Body === undefined) return lines === 0 ? null : <Skeleton lines={lines} />;
    return <Body {...props} />;
  };
}
