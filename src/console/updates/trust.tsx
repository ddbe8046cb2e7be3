import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { Updates, UpdateTrust } from "../../contract/types.ts";
import { absoluteTime } from "../catalogue/formats.ts";
import { t, wordFor } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { isOneOf, me } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/dialog/confirm-dialog.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { errorAt } from "../ui/form/form.tsx";
import { Facts } from "../ui/page.tsx";
import { Said } from "../ui/spoken.tsx";
import { Time } from "../ui/time.tsx";
import { fingerprintIn, visible } from "../ui/visible.ts";
import { Fold } from "./fold.tsx";
import { trustSentence } from "./update-sentences.ts";

interface TrustProps {
  readonly status: Updates;
  readonly onConfirmed: (status: Updates) => void;
}

/** Shows the publisher's fingerprint, who has compared it, and the steps that are left. */
export function Trust({ status, onConfirmed }: TrustProps) {
  const { trust } = status;
  const [isConfirming, setConfirming] = useState(false);
  const mayConfirm = isOneOf("admin") && trust.installed && !trust.confirmed;
  const badge = (
    <Badge state={trust.established ? "good" : "attention"}>
      {trust.established ? t.updates.trusted : t.updates.notTrusted}
    </Badge>
  );
  const summary = (
    <>
      {badge} · {trustWords(trust)}
    </>
  );
  // A step that is not done by waiting.
  const needsPerson = isOneOf("admin") && !(trust.installed && trust.confirmed);
  return (
    <Fold name="trust" title={t.updates.trust} summary={summary} isOpenAtFirst={needsPerson}>
      {trust.status.code !== "established" && (
        <p>
          <Said sentence={trustSentence(trust.status)} />
        </p>
      )}
      {mayConfirm && (
        <p>
          <Button kind="primary" onClick={() => setConfirming(true)}>
            {t.updates.confirmFingerprint}
          </Button>
        </p>
      )}
      {trust.installed && <Root trust={trust} />}
      {isConfirming && (
        <ConfirmFingerprint
          fingerprint={trust.fingerprint ?? ""}
          onConfirmed={onConfirmed}
          onClose={() => setConfirming(false)}
        />
      )}
    </Fold>
  );
}

function trustWords({ status: { code }, confirmed_by }: UpdateTrust): string {
  if (code === "established") return t.updates.confirmedBy(visible(confirmed_by ?? "root"));
  return wordFor<string>(t.updates.trustSteps, code) ?? t.updates.trustSteps.not_confirmed;
}

function Root({ trust }: { readonly trust: UpdateTrust }) {
  return (
    <>
      <Facts
        items={[
          [t.updates.fingerprint, <Fingerprint key="of" hex={trust.fingerprint ?? ""} />],
          [
            t.updates.confirmed,
            trust.confirmed ? (
              <>
                {trust.confirmed_by} · <Time at={trust.confirmed_at} />
              </>
            ) : (
              t.updates.unconfirmedBy
            ),
          ],
          [t.updates.rootVersion, String(trust.root_version)],
          [t.ui.expires, trust.root_expires_at && absoluteTime(new Date(trust.root_expires_at))],
        ]}
      />
      <details>
        <summary>{t.updates.keys}</summary>
        <ul class="bullets">
          {trust.keys.map(({ role, threshold, key_ids }) => (
            <li key={role}>
              {role}: {t.updates.of(threshold, key_ids.length)}
              {key_ids.map((id) => (
                <code key={id}>{id}</code>
              ))}
            </li>
          ))}
        </ul>
      </details>
    </>
  );
}

const groupsOf = (hex: string): readonly string[] => hex.match(/.{1,4}/g) ?? [];

/** In full, in groups of four as people read them aloud; marked: those that are others in `typed`. */
function Fingerprint({ hex, typed = hex }: { readonly hex: string; readonly typed?: string }) {
  const others = groupsOf(typed);
  return (
    <code class="updates-fingerprint">
      {groupsOf(hex).map((group, index) => (
        <Fragment key={index}>
          {index > 0 && " "}
          {group === others[index] ? group : <mark>{group}</mark>}
        </Fragment>
      ))}
    </code>
  );
}

function ConfirmFingerprint({
  fingerprint,
  onConfirmed,
  onClose,
}: {
  readonly fingerprint: string;
  readonly onConfirmed: (status: Updates) => void;
  readonly onClose: () => void;
}) {
  const [typed, setTyped] = useState("");
  const [isOther, setOther] = useState(false);
  const hex = fingerprintIn(typed);
  const confirm = async (): Promise<void> => {
    try {
      onConfirmed(await call("confirmUpdateTrust", { body: { fingerprint: hex } }));
      toast(`${t.updates.confirmed} ${me().username}`);
    } catch (problem) {
      setOther(errorAt(problem, "/fingerprint") !== null);
      throw problem;
    }
  };
  return (
    <ConfirmDialog
      title={t.updates.confirmFingerprint}
      verb={t.signIn.confirm}
      onConfirm={confirm}
      onClose={onClose}
    >
      <p>{t.updates.compare}</p>
      <TextField
        label={t.updates.publishersFingerprint}
        hint={t.updates.publishersHint}
        error={isOther ? t.updates.otherFingerprint : null}
        value={typed}
        onInput={setTyped}
        spellcheck={false}
        lines={2}
        isFirst
      />
      {/* Only now: next to the field it would be copied, and nothing compared. */}
      {isOther && hex.length === fingerprint.length && (
        <p>
          {t.updates.installedFingerprint}
          <Fingerprint hex={fingerprint} typed={hex} />
        </p>
      )}
    </ConfirmDialog>
  );
}
