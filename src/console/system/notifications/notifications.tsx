import { useState } from "preact/hooks";
import type { Need, ReceiverStates, Settings } from "../../../contract/types.ts";
import { t } from "../../catalogue/words.ts";
import { call } from "../../client/call.ts";
import { greet } from "../../client/connection.ts";
import { useResource } from "../../client/use-resource.ts";
import { isOneOf } from "../../session/session.ts";
import { ActionButton, Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog/confirm-dialog.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { Empty, Skeleton } from "../../ui/page.tsx";
import { ReadProblem } from "../../ui/problem-view.tsx";
import type { MemberSchema } from "../settings/draft.ts";
import { ReceiverCard } from "./receiver-card.tsx";
import type { ReceiverSettings } from "./receiver-draft.ts";
import { ReceiverSheet } from "./receiver-sheet.tsx";
import { removeReceiver } from "./save-receiver.ts";

/** The receivers of messages; administrators add, change, test and remove them. */
export function Body() {
  const settings = useResource("getSettings");
  const states = useResource("getNotifications");
  const status = useResource("getStatus");
  const schema = useResource("getSettingsSchema");
  /** null: no sheet is open; `new`: one for a receiver to add. */
  const [edited, setEdited] = useState<ReceiverSettings | "new" | null>(null);
  const [doomed, setDoomed] = useState<string | null>(null);
  const reload = async (): Promise<void> => {
    await Promise.all([settings.reload(), states.reload()]);
  };
  const all = [settings, states, schema];
  if (settings.value === null || states.value === null || schema.value === null)
    return all.every(({ error }) => error === null) ? <Skeleton lines={8} /> : <ReadProblem of={all} />;
  const { device, notify } = settings.value;
  const { receivers } = notify;
  const list = (schema.value as MemberSchema).properties?.notify?.properties?.receivers ?? {};
  const known = states.value.receivers;
  const isSecretSet = (name: string): boolean => known.find((one) => one.name === name)?.secret_set === true;
  return (
    <div class="notifications">
      <p>{t.notifications.text}</p>
      {!isOneOf("admin") && <p class="hint">{t.notifications.adminOnly}</p>}
      <ReadProblem of={all} />
      {receivers.length === 0 && known.every(isOfSettings) && (
        <NoReceiver notNeeded={device.not_needed} onChanged={reload} />
      )}
      <ul class="receivers">
        {shown(receivers, known).map(({ name, receiver, state }) => (
          <ReceiverCard
            // One of root's may have the name of one of the settings.
            key={receiver === null ? `root ${name}` : name}
            name={name}
            receiver={receiver}
            state={state}
            isFailing={isFailing(name, status.value?.needs ?? [])}
            onEdit={setEdited}
            onRemove={setDoomed}
            onTested={() => void states.reload()}
          />
        ))}
      </ul>
      {isOneOf("admin") && (
        <div class="buttons">
          <Button
            why={
              receivers.length < (list.maxItems ?? Infinity) ? null : t.notifications.most(receivers.length)
            }
            onClick={() => setEdited("new")}
          >
            {t.notifications.add}
          </Button>
        </div>
      )}
      {edited !== null && (
        <ReceiverSheet
          receiver={edited === "new" ? null : edited}
          isSecretSet={edited !== "new" && isSecretSet(edited.name)}
          schema={list.items ?? {}}
          onSaved={() => void reload()}
          onClose={() => setEdited(null)}
        />
      )}
      {doomed !== null && (
        <ConfirmDialog
          title={t.notifications.removeTitle(doomed)}
          verb={t.ui.remove}
          isDangerous
          onConfirm={async () => {
            await removeReceiver(doomed);
            toast(t.notifications.removed);
            await reload();
          }}
          onClose={() => setDoomed(null)}
        >
          <p>{t.notifications.removeText}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}

type ReceiverState = ReceiverStates[number];

/** Those of the settings in their order, without a state until the agent has taken them up; then root's. */
function shown(receivers: readonly ReceiverSettings[], states: readonly ReceiverState[]) {
  const ofSettings = receivers.map((receiver) => {
    const { name } = receiver;
    return { name, receiver, state: states.find((one) => one.name === name && isOfSettings(one)) ?? null };
  });
  const ofRoot = states.filter((state) => !isOfSettings(state));
  return [...ofSettings, ...ofRoot.map((state) => ({ name: state.name, receiver: null, state }))];
}

function isOfSettings({ kind }: ReceiverState): boolean {
  return kind !== "otlp" && kind !== "syslog";
}

function isFailing(name: string, needs: readonly Need[]): boolean {
  return needs.some(
    ({ code, facts }) => code === "receiver_failing" && (facts as { name: string }).name === name,
  );
}

type NotNeeded = Settings["device"]["not_needed"];

/** Says that no message is sent, which may be as it should be. */
function NoReceiver({
  notNeeded,
  onChanged,
}: {
  readonly notNeeded: NotNeeded;
  readonly onChanged: () => Promise<void>;
}) {
  const others = notNeeded.filter((one) => one !== "no_receiver");
  const isWanted = others.length === notNeeded.length;
  return (
    <Empty>
      <p>{isWanted ? t.notifications.none : t.notifications.noneWanted}</p>
      {isOneOf("admin") && (
        <ActionButton
          act={async () => {
            const not_needed: NotNeeded = [...others, ...(isWanted ? (["no_receiver"] as const) : [])];
            await call("updateSettings", { body: { device: { not_needed } } });
            await Promise.all([onChanged(), greet()]);
          }}
        >
          {isWanted ? t.notifications.wantNone : t.notifications.askAgain}
        </ActionButton>
      )}
    </Empty>
  );
}
