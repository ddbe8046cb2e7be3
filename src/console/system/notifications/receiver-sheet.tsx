import { useRef, useState } from "preact/hooks";
import { chatServices, isChatService } from "../../../contract/notifications/chat-services.ts";
import { t, wordFor } from "../../catalogue/words.ts";
import { Cancelled } from "../../client/problem.ts";
import { entrySentence } from "../../ui/by-code.ts";
import { Dialog } from "../../ui/dialog/dialog.tsx";
import { toast } from "../../ui/dialog/toasts.tsx";
import { TextField } from "../../ui/form/field.tsx";
import { entryAt, Form, type FormState, useForm } from "../../ui/form/form.tsx";
import { PasswordField } from "../../ui/form/password-field.tsx";
import { RadioField } from "../../ui/form/radio-field.tsx";
import { Banner } from "../../ui/page.tsx";
import { ShownOnce } from "../../ui/secret.tsx";
import type { MemberSchema } from "../settings/draft.ts";
import {
  isSecretLost,
  type ReceiverSettings,
  receiverTyped,
  type TypedReceiver,
  typedReceiver,
  withSecurity,
  withUrl,
} from "./receiver-draft.ts";
import { ChangedMeanwhile, saveReceiver, saveSecret } from "./save-receiver.ts";

interface SheetProps {
  /** null: a new one. */
  readonly receiver: ReceiverSettings | null;
  readonly isSecretSet: boolean;
  readonly schema: MemberSchema;
  /** The agent has the receiver; its secret may follow. */
  readonly onSaved: () => void;
  readonly onClose: () => void;
}

/** Adds or changes a receiver. A secret that the device made is shown this once. */
export function ReceiverSheet(props: SheetProps) {
  const { receiver, onClose } = props;
  const [made, setMade] = useState<{ readonly name: string; readonly secret: string } | null>(null);
  const { add, editTitle, secretMade, secret } = t.notifications;
  return (
    <Dialog
      title={receiver === null ? add : editTitle(receiver.name)}
      shape="sheet"
      onClose={made === null ? onClose : undefined}
    >
      {made === null ? (
        <ReceiverForm {...props} onMade={setMade} />
      ) : (
        <ShownOnce said={secretMade(made.name)} label={secret} text={made.secret} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface ReceiverFormProps extends SheetProps {
  readonly onMade: (made: { name: string; secret: string }) => void;
}

function ReceiverForm(props: ReceiverFormProps) {
  const { receiver, isSecretSet, schema, onClose } = props;
  const [form, meanwhile] = useReceiverForm(props);
  const { typed } = form;
  return (
    <Form form={form} verb={t.ui.save} onCancel={onClose}>
      {meanwhile !== "" && <Banner state="attention">{meanwhile}</Banner>}
      {receiver === null && (
        <>
          <Text form={form} name="name" schema={schema} isFirst />
          <Choice form={form} name="kind" schema={schema} />
        </>
      )}
      {typed.kind === "mail" ? (
        <MailFields form={form} schema={schema} receiver={receiver} isSecretSet={isSecretSet} />
      ) : (
        <>
          <Text form={form} name="url" schema={schema} />
          {typed.kind === "webhook" ? (
            <SecretFields form={form} isSecretSet={isSecretSet && !isSecretLost(receiver, typed)} />
          ) : (
            <KeptSecret form={form} receiver={receiver} isSecretSet={isSecretSet} />
          )}
        </>
      )}
      <Choice form={form} name="takes" schema={schema} />
    </Form>
  );
}

type ReceiverFormState = FormState<TypedReceiver>;

interface FieldsProps extends Pick<SheetProps, "schema" | "receiver" | "isSecretSet"> {
  readonly form: ReceiverFormState;
}

/** The form, and what another user did meanwhile; empty: nothing. */
function useReceiverForm({ receiver, isSecretSet, onSaved, onMade, onClose }: ReceiverFormProps) {
  // As it was read, or saved by an attempt whose secret was refused.
  const before = useRef(receiver);
  const [meanwhile, setMeanwhile] = useState("");
  const form = useForm(typedReceiver(receiver, isSecretSet), async (typed) => {
    setMeanwhile("");
    try {
      before.current = await saveReceiver(receiverTyped(typed), before.current);
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) throw error;
      before.current = error.present;
      setMeanwhile(error.present === null ? t.notifications.gone : t.notifications.changed);
      throw new Cancelled();
    }
    const { name } = before.current;
    const secret = await saveSecret(typed).finally(onSaved);
    if (secret !== null) return onMade({ name, secret });
    toast(t.ui.saved);
    onClose();
  });
  return [form, meanwhile] as const;
}

/** A field of the schema's member of that name. */
function Text({
  form,
  name,
  schema,
  isFirst = false,
}: {
  readonly form: ReceiverFormState;
  readonly name: "name" | "url" | "server" | "port" | "username" | "from" | "to";
  readonly schema: MemberSchema;
  readonly isFirst?: boolean;
}) {
  const { maxLength, type } = schema.properties?.[name] ?? {};
  const hint = wordFor<string>(t.notifications.hints, name);
  return (
    <TextField
      {...form.field(name)}
      {...(name === "url" && { onInput: (url: string) => form.type(withUrl(form.typed, url)) })}
      label={t.notifications.labels[name]}
      hint={hint}
      error={errorOf(form, name)}
      inputMode={type === "integer" ? "numeric" : "text"}
      lines={type === "array" ? 3 : 1}
      spellcheck={false}
      {...(maxLength !== undefined && { maxLength })}
      isFirst={isFirst}
    />
  );
}

/** A choice among the values of the schema's member. */
function Choice<Name extends "kind" | "takes" | "security">({
  form,
  name,
  schema,
  onInput = form.field(name).onInput,
}: {
  readonly form: ReceiverFormState;
  readonly name: Name;
  readonly schema: MemberSchema;
  readonly onInput?: (value: TypedReceiver[Name]) => void;
}) {
  const { kind, kinds, labels, takes, security } = t.notifications;
  const words: Readonly<Record<string, { text: string; hint: string }>> = { kind: kinds, takes, security }[
    name
  ];
  const values = (schema.properties?.[name]?.enum ?? []) as readonly TypedReceiver[Name][];
  return (
    <RadioField<TypedReceiver[Name]>
      label={{ ...labels, kind }[name]}
      value={form.typed[name]}
      error={errorOf(form, name)}
      onInput={onInput}
      options={values.map((value) => ({
        value,
        ...(isChatService(value)
          ? { text: chatServices[value].name }
          : (wordFor(words, value) ?? { text: value })),
      }))}
    />
  );
}

function SecretFields({ form, isSecretSet }: Pick<FieldsProps, "form" | "isSecretSet">) {
  const { secretChoice, secretChoices, secret, secretHint } = t.notifications;
  const values = isSecretSet ? (["keep", "make", "paste"] as const) : (["make", "paste"] as const);
  return (
    <>
      <RadioField
        label={secretChoice}
        value={form.typed.secretChoice}
        onInput={(value) => form.type({ secretChoice: value })}
        options={values.map((value) => ({ value, ...secretChoices[value] }))}
      />
      {form.typed.secretChoice === "paste" && (
        <PasswordField
          {...form.field("secret")}
          name="secret"
          label={secret}
          hint={secretHint}
          error={errorOf(form, "secret")}
          autocomplete="off"
        />
      )}
    </>
  );
}

function MailFields({ form, schema, receiver, isSecretSet }: FieldsProps) {
  return (
    <>
      <Text form={form} name="server" schema={schema} />
      <Choice
        form={form}
        name="security"
        schema={schema}
        onInput={(security) => form.type(withSecurity(form.typed, security))}
      />
      <Text form={form} name="port" schema={schema} />
      <Text form={form} name="username" schema={schema} />
      {form.typed.username.trim() !== "" && (
        <KeptSecret form={form} receiver={receiver} isSecretSet={isSecretSet} />
      )}
      <Text form={form} name="from" schema={schema} />
      <Text form={form} name="to" schema={schema} />
    </>
  );
}

/** The password of a mail server or the token of a chat service, which stays as it is where nothing is typed. */
function KeptSecret({ form, receiver, isSecretSet }: Omit<FieldsProps, "schema">) {
  const { secretKept, secretLost, password, passwordHint, token, tokenHint } = t.notifications;
  const isMail = form.typed.kind === "mail";
  const hint = isMail ? passwordHint : tokenHint;
  const kept = isSecretLost(receiver, form.typed) ? secretLost : secretKept;
  return (
    <PasswordField
      {...form.field("secret")}
      label={isMail ? password : token}
      hint={isSecretSet ? kept : hint}
      error={errorOf(form, "secret")}
      // A browser would otherwise fill in the person's own password for this console.
      autocomplete="new-password"
    />
  );
}

const ofForm = ["pattern", "type", "minimum", "maximum", "secret"];

/** The agent's objection to a field, in words by the field where the code does not say enough. */
function errorOf({ error }: ReceiverFormState, name: keyof TypedReceiver): string | null {
  const one = entryAt(error, `/${name}`);
  if (one === undefined) return null;
  const { faults, notAllowed, nameTaken } = t.notifications;
  if (name === "name" && one.code === "uniqueItems") return nameTaken;
  const words = one.code === "not_allowed" ? notAllowed : ofForm.includes(one.code) ? faults : {};
  return wordFor<string>(words, name) ?? entrySentence(one);
}
