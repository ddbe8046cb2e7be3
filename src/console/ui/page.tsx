import type { ComponentChildren, ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { device } from "../client/connection.ts";
import { type BodyPart, type PropsOf, usePart } from "../client/parts.ts";
import { Link } from "../navigation/link.tsx";
import { createStore, useStore } from "../store.ts";
import { Shape } from "./shape.tsx";

/** The number of things that need a person; the window's title begins with it. */
export const needCount = createStore(0);

export interface Titled {
  readonly title: string;
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A page's title with its primary action, also as the title of the window. */
export function Page({
  title,
  head = <h1 tabIndex={-1}>{title}</h1>,
  action,
  children,
}: Titled & {
  /** Replaces the title as the page's head. */
  readonly head?: ComponentChildren;
}) {
  const deviceName = useStore(device)?.name ?? "Steward";
  const needs = useStore(needCount);
  useEffect(() => {
    document.title = `${needs === 0 ? "" : `(${needs}) `}${title} · ${deviceName}`;
  }, [title, deviceName, needs]);
  return (
    <>
      <header class="page-head">
        {head}
        {action && <div class="buttons">{action}</div>}
      </header>
      {children}
    </>
  );
}

/** Pages of one section, or parts of a page by `?open=`; each is a place of its own, so these are links. */
export function Tabs({
  label,
  items,
  current,
}: {
  readonly label: string;
  readonly items: readonly { readonly to: string; readonly open?: string; readonly text: string }[];
  /** Such as `/system/logs`, or the part that is open. */
  readonly current: string;
}) {
  return (
    <nav class="tabs" aria-label={label}>
      {items.map(({ to, open, text }) => (
        <Link key={text} to={to} query={{ open }} isCurrent={(open ?? to) === current}>
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** A part of a page under its own head. */
export function Section({ title, action, children }: Titled) {
  return (
    <section class="section" aria-label={title}>
      <header class="section-head">
        <h2>{title}</h2>
        {action && <div class="buttons">{action}</div>}
      </header>
      {children}
    </section>
  );
}

/** Keeps the place of something that is being read, as high as that will be. */
export function Skeleton({ lines = 4 }: { readonly lines?: number }) {
  return (
    <div class="skeleton">
      {/* The texts themselves may still be loading. */}
      <span class="unseen">{t.ui?.loading}</span>
      {Array.from({ length: lines }, (_, line) => (
        <div key={line} />
      ))}
    </div>
  );
}

/** Keeps the place of something that is being read, or says that it could not be read. */
export function Pending({ of, lines }: { readonly of: { readonly error: unknown }; readonly lines: number }) {
  return of.error === null ? <Skeleton lines={lines} /> : <p class="hint">{t.problem.notRead}</p>;
}

/** Says that there is nothing, and why that may be. */
export function Empty({ children }: { readonly children: ComponentChildren }) {
  return <div class="empty">{children}</div>;
}

/** A name and its value; anything else: there is nothing to say. */
export type Fact = readonly [name: string, value: ComponentChildren] | false | null | undefined;

export function Facts({ items }: { readonly items: readonly Fact[] }) {
  return (
    <dl class="facts">
      {items.map(
        (item) =>
          item && (
            <div key={item[0]}>
              <dt>{item[0]}</dt>
              <dd>{item[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Something that needs a person, above the page. */
export function Banner({
  state,
  action,
  children,
}: Omit<Titled, "title"> & { readonly state: "attention" | "wrong" | "unknown" }) {
  return (
    <div class={`banner ${state}`} role="status">
      <Shape name={state} />
      <div>{children}</div>
      {action && <div class="buttons">{action}</div>}
    </div>
  );
}

/**
 * A component that loads a part's body when first drawn. `lines` keep its place until then; 0: it has none. `isNeeded`: as
 * `usePart` has it.
 */
export function bodyOf<P extends BodyPart>(
  part: P,
  lines: number,
  isNeeded = true,
): ComponentType<PropsOf<P>> {
  return (props) => {
    const Body = usePart(part, isNeeded)?.Body as ComponentType<PropsOf<P>> | undefined;
    if (Body === undefined) return lines === 0 ? null : <Skeleton lines={lines} />;
    return <Body {...props} />;
  };
}
