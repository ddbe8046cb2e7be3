import { t } from "../catalogue/words.ts";
import { Link } from "../navigation/link.tsx";
import { isShown } from "../session/session.ts";
import { Shape } from "../ui/shape.tsx";

/** Links to the sections: in the head, and on a phone at the foot with Home. `current` null: none yet. */
export function Sections({ current, needs }: { readonly current: string | null; readonly needs: number }) {
  return (
    <nav class="sections" aria-label={t.frame.sections}>
      {current !== null &&
        sections()
          .filter(({ to }) => isShown(to))
          .map(({ to, shape, text }) => (
            <Link key={to} to={to} isCurrent={current === to || current.startsWith(`${to}/`)}>
              <Shape name={shape} />
              <span>{text}</span>
              <NeedCount needs={to === "/" && current !== "/" ? needs : 0} />
            </Link>
          ))}
    </nav>
  );
}

/** Counts the things that need a person, where the page does not list them itself. */
export function NeedCount({ needs }: { readonly needs: number }) {
  if (needs === 0) return null;
  return (
    <span class="need-count">
      <span class="unseen">, </span>
      {needs}
      <span class="unseen"> {t.frame.toDo(needs)}</span>
    </span>
  );
}

function sections() {
  return [
    { to: "/", shape: "home", text: t.home.title },
    { to: "/users", shape: "people", text: t.frame.users },
    { to: "/system", shape: "system", text: t.frame.system },
    { to: "/updates", shape: "updates", text: t.frame.updates },
  ] as const;
}
