import { Fragment } from "preact";
import { useState } from "preact/hooks";
import type { Updates, UpdateTrust } from "../../contract/types.ts";
import { absoluteTime } from "../catalogue/formats.ts";
import { t, wordFor } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { useAction } from "../client/use-action.ts";
import { isOneOf, me } from "../session/session.ts";
import { Badge } from "../ui/badge.tsx";
import { toast } from "../ui/dialog/toasts.tsx";
import { TextField } from "../ui/form/field.tsx";
import { errorAt, Form } from "../ui/form/form.tsx";
import { Facts } from "../ui/page.tsx";
import { Time } from "../ui/time.tsx";
import { fingerprintIn, visible } from "../ui/visible.ts";
import { Fold } from "./fold.tsx";

interface TrustProps {
  readonly status: Updates;
  readonly onConfirmed: (status: Updates) => void;
}

/** The steps that trust still needs, the comparison that an administrator makes, and the root once it is compared. */
export function Trust({ status, onConfirmed }: TrustProps) {
  const { trust } = status;
  // The state of the page says what is to be done first.
  if (!trust.installed) return null;
  const needsPerson = isOneOf("admin") && !trust.confirmed;
  return (
    <Fold name="trust" title={t.updates.trust} summary={trustWords(trust)} isOpenAtFirst={needsPerson}>
      {needsPerson ? (
        <Comparison fingerprint={trust.fingerprint ?? ""} onConfirmed={onConfirmed} />
      ) : (
        <Root trust={trust} />
      )}
    </Fold>
  );
}

function trustWords({ status: { code }, confirmed_by }: UpdateTrust) {
  if (code !== "established") return wordFor<string>(t.updates.trustSteps, code);
  return <Badge state="good">{t.updates.confirmedBy(visible(confirmed_by ?? "root"))}</Badge>;
}

function Root({ trust }: { readonly trust: UpdateTrust }) {
  return (
    <>
      <Facts
        items={[
          trust.confirmed && [t.updates.fingerprint, <Fingerprint key="of" hex={trust.fingerprint ?? ""} />],
          trust.confirmed && [
            t.updates.confirmed,
            <Fragment key="by">
              {trust.confirmed_by} · <Time at={trust.confirmed_at} />
            </Fragment>,
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

/** In full, in groups of four as people read them aloud; marked and counted: those that are others in `than`. */
function Fingerprint({ hex, than = hex }: { readonly hex: string; readonly than?: string }) {
  const [groups, others] = [groupsOf(hex), groupsOf(than)];
  const differing = groups.filter((group, index) => group !== others[index]).length;
  return (
    <>
      {differing > 0 && t.updates.differing(differing, groups.length)}
      <code class="updates-fingerprint">
        {groups.map((group, index) => (
          <Fragment key={index}>
            {index > 0 && " "}
            {group === others[index] ? group : <mark>{group}</mark>}
          </Fragment>
        ))}
      </code>
    </>
  );
}

/** Compares the publisher's fingerprint, as it is entered, with the device's, which is not shown: it would be copied. */
function Comparison({
  fingerprint,
  onConfirmed,
}: Pick<TrustProps, "onConfirmed"> & { readonly fingerprint: string }) {
  const [typed, setTyped] = useState("");
  const hex = fingerprintIn(typed);
  const isSame = hex === fingerprint;
  const isOther = hex !== "" && !isSame;
  const form = useAction(async () => {
    // The agent refuses a part of one.
    onConfirmed(await call("confirmUpdateTrust", { body: { fingerprint: hex || typed } }));
    toast(t.updates.confirmedBy(me().username));
  });
  return (
    <Form form={form} verb={t.signIn.confirm} kind={isSame ? "primary" : "plain"} isReady={!isOther}>
      <p>{t.updates.compare}</p>
      <TextField
        label={t.updates.publishersFingerprint}
        hint={t.updates.publishersHint}
        error={hex === "" && errorAt(form.error, "/fingerprint") ? t.updates.incomplete : null}
        value={typed}
        onInput={setTyped}
        spellcheck={false}
        lines={2}
      />
      <div role="status">
        {isSame && <Badge state="good">{t.updates.sameFingerprint}</Badge>}
        {isOther && <Badge state="wrong">{t.updates.otherFingerprint}</Badge>}
      </div>
      {isOther && <Fingerprint hex={hex} than={fingerprint} />}
    </Form>
  );
}
