import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { t } from "../../catalogue/words.ts";
import { device } from "../../client/connection.ts";
import type { Person } from "../../client/parts.ts";
import { guardLeaving } from "../../navigation/navigation.ts";
import { blank, Paper, QrPicture } from "../../print/paper.tsx";
import { NoWayIn, useWayIn, type WayIn } from "../../print/way-in.tsx";
import { useStore } from "../../store.ts";
import { Button } from "../../ui/button.tsx";
import { Facts } from "../../ui/page.tsx";
import { useCopy } from "../../ui/secret.tsx";

/** A card for each person, for the screen and for paper: where to sign in, and with what. */
export function HandOver({
  people,
  others,
  onClose,
}: {
  readonly people: readonly Person[];
  /** Buttons beside the usual ones. */
  readonly others?: ComponentChildren;
  readonly onClose: () => void;
}) {
  const way = useWayIn();
  return (
    <>
      <p role="status">{sentenceAbout(people)}</p>
      {way === null && (
        <p>
          <NoWayIn />
        </p>
      )}
      <ul class="cards">
        {people.map((person) => (
          <Card key={person.username} {...{ person, way }} />
        ))}
      </ul>
      <div class="buttons">
        <Button kind="primary" onClick={onClose}>
          {t.ui.done}
        </Button>
        {others}
        {people.length > 0 && <Button onClick={() => print()}>{t.ui.print}</Button>}
      </div>
    </>
  );
}

function sentenceAbout([first, ...rest]: readonly Person[]): string {
  if (first === undefined) return "";
  if (rest.length > 0) return t.adding.onceEach;
  return first.password === null ? t.adding.typed(first.username) : t.adding.once(first.username);
}

function Card({
  person: { username, display_name, password },
  way,
}: {
  readonly person: Person;
  readonly way: WayIn | null | undefined;
}) {
  const deviceName = useStore(device)?.name ?? "";
  const lines = [
    [t.adding.device, deviceName],
    [t.ui.name, display_name],
    [t.adding.address, way === null ? blank : (way?.address ?? "")],
    [t.signIn.username, username],
    [t.adding.oneUse, password ?? t.adding.agreed],
  ] as const;
  const given = lines.filter(([, value]) => value !== "");
  const typed = [way?.address ?? null, username, password];
  const place = useRef<HTMLDivElement>(null);
  const [said, copy] = useCopy(given.map((line) => line.join(": ")).join("\n"), place);
  const title = t.adding.accessFor(username);
  return (
    <li>
      <Paper title={title} isShown>
        <div ref={place} class="paper-address">
          {way && <QrPicture svg={way.qr} alt={t.wayIn.qrOf(way.address)} />}
          <Facts items={given.map(([name, value]) => [name, shown(value, typed)])} />
        </div>
        <p>{password === null ? t.adding.steps : t.adding.stepsOnce}</p>
        <div class="buttons">
          <Button label={`${t.ui.copy}: ${title}`} onClick={copy}>
            {t.ui.copy}
          </Button>
          <span role="status">{said}</span>
        </div>
      </Paper>
    </li>
  );
}

/** Letters that are typed as they are, in a face that keeps them apart; names in their own direction. */
function shown(value: string, typed: readonly (string | null)[]) {
  return typed.includes(value) ? <code key={value}>{value}</code> : <bdi key={value}>{value}</bdi>;
}

/** While people have one-use passwords here, leaving asks first. Set the result to true once they are handed over. */
export function useShownOnce(people: readonly Person[]): { current: boolean } {
  const isHandedOver = useRef(false);
  const hasSecret = useRef(false);
  hasSecret.current = people.some(({ password }) => password !== null);
  useEffect(() => guardLeaving(() => !isHandedOver.current && hasSecret.current && "secret"), []);
  return isHandedOver;
}
