import { useId, useState } from "preact/hooks";
import { chatServices, isChatService, kindOf } from "../../../contract/notifications/chat-services.ts";
import type { DeliveryAnswer, ReceiverStates } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { useAction } from "../../client/use-action.ts";
import { isOneOf } from "../../session/session.ts";
import { Badge, type State } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { type Fact, Facts } from "../../ui/page.tsx";
import { ProblemBox, ProblemView } from "../../ui/problem-view.tsx";
import { Spoken } from "../../ui/spoken.tsx";
import { Time } from "../../ui/time.tsx";
import { visible } from "../../ui/visible.ts";
import type { ReceiverSettings } from "./receiver-draft.ts";

type ReceiverState = ReceiverStates[number];

interface ActionsProps {
  readonly name: string;
  /** null: it is root's, and can only be read. */
  readonly receiver: ReceiverSettings | null;
  readonly onEdit: (receiver: ReceiverSettings) => void;
  readonly onRemove: (name: string) => void;
  readonly onTested: () => void;
}

interface CardProps extends ActionsProps {
  /** null: not known yet. */
  readonly state: ReceiverState | null;
  /** It needs a person. */
  readonly isFailing: boolean;
}

/** One receiver: its destination, and how deliveries to it go. */
export function ReceiverCard({ state, isFailing, ...rest }: CardProps) {
  const { name, receiver } = rest;
  const headId = useId();
  const kind = state?.kind ?? (receiver && kindOf(receiver));
  const badge = state && stateInWords(state, isFailing);
  return (
    <li class="receiver" aria-labelledby={headId}>
      <header class="line">
        <h3 id={headId}>{name}</h3>
        {kind && (
          <span>{isChatService(kind) ? chatServices[kind].name : t.notifications.kinds[kind].text}</span>
        )}
        {badge && <Badge state={badge[0]}>{t.notifications.states[badge[1]]}</Badge>}
      </header>
      {receiver === null && <p class="hint">{t.notifications.ofRoot}</p>}
      <Facts items={[...destination(receiver), ...(state ? course(state) : [])]} />
      {isOneOf("admin") && <Actions {...rest} />}
    </li>
  );
}

/** Without a need nothing is amber: the agent tries a receiver that has failed for a while again. */
function stateInWords(
  { kind, secret_set, last_error, last_success }: ReceiverState,
  isFailing: boolean,
): readonly [State, keyof typeof t.notifications.states] {
  const colour = isFailing ? "attention" : "unknown";
  if (secret_set === false) return [colour, kind === "mail" ? "noPassword" : "noSecret"];
  if (isFailing) return [colour, "failing"];
  if (last_error !== null) return [colour, "tryingAgain"];
  return last_success === null ? [colour, "unused"] : ["good", "reached"];
}

function destination(receiver: ReceiverSettings | null): Fact[] {
  if (receiver === null) return [];
  const { kind, url = "", server = "", port, security, to = [], takes } = receiver;
  const { facts, labels } = t.notifications;
  const address: Fact[] =
    kind === "mail"
      ? [
          [labels.server, <bdi>{`${server}:${port} (${security === "tls" ? "TLS" : "STARTTLS"})`}</bdi>],
          [facts.to, <bdi>{to.join(", ")}</bdi>],
        ]
      : [[labels.url, <bdi>{visible(url)}</bdi>]];
  return [...address, [facts.takes, t.notifications.takes[takes].text]];
}

function course(state: ReceiverState): Fact[] {
  const { kind, secret_set, last_success, waiting, next_attempt, last_error } = state;
  const { facts, secretSet, secretMissing } = t.notifications;
  const secret = kind === "mail" ? t.notifications.password : t.notifications.secret;
  return [
    secret_set !== null && [secret, secret_set ? secretSet : secretMissing],
    [facts.last, <Time at={last_success} never={t.notifications.notSinceStart} />],
    [
      facts.waiting,
      <>
        {t.notifications.waiting(waiting)}
        {next_attempt && (
          <>
            , {t.notifications.nextAttempt} <Time at={next_attempt} />
          </>
        )}
      </>,
    ],
    last_error !== null && [
      facts.error,
      <>
        <Time at={last_error.time} />: <Spoken text={last_error.detail} />
      </>,
    ],
  ];
}

/** Root's receivers can be tested, but neither changed nor removed. */
function Actions({ name, receiver, onEdit, onRemove, onTested }: ActionsProps) {
  const [delivery, setDelivery] = useState<DeliveryAnswer | null>(null);
  const test = useAction(async () => {
    setDelivery(null);
    setDelivery(await call("testReceiver", { params: { name } }, { patience: 90 }));
    onTested();
  });
  return (
    <>
      <div class="buttons">
        <Button
          label={`${t.notifications.test}: ${name}`}
          isBusy={test.isBusy}
          onClick={() => void test.run()}
        >
          {t.notifications.test}
        </Button>
        {receiver !== null && (
          <>
            <Button label={`${t.notifications.edit}: ${name}`} onClick={() => onEdit(receiver)}>
              {t.notifications.edit}
            </Button>
            <Button label={`${t.ui.remove}: ${name}`} onClick={() => onRemove(name)}>
              {t.ui.remove}
            </Button>
          </>
        )}
      </div>
      <div role="status">
        {delivery?.ok && (
          <>
            {t.notifications.answered} <Spoken text={delivery.answer ?? ""} />
          </>
        )}
      </div>
      {delivery?.ok === false && (
        <ProblemBox title={t.notifications.refused}>
          <p>
            <Spoken text={delivery.error ?? ""} />
          </p>
        </ProblemBox>
      )}
      <ProblemView error={test.error} />
    </>
  );
}
