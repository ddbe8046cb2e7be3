import { useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { greet } from "../client/connection.ts";
import { TextField } from "../ui/form/field.tsx";
import { errorAt, Form, useForm } from "../ui/form/form.tsx";
import { Submit } from "../ui/form/submit.tsx";

/** Names the device where the page says that it has no name. */
export function NameDevice({ verb }: { readonly verb: string }) {
  const [isEmpty, setEmpty] = useState(false);
  const form = useForm({ name: "" }, async ({ name }) => {
    await call("updateSettings", { body: { device: { name: name.trim() } } });
    await greet();
  });
  const { typed, type, error, isBusy, run } = form;
  return (
    <Form
      form={form}
      onSubmit={() => {
        setEmpty(typed.name.trim() === "");
        if (typed.name.trim() !== "") void run();
      }}
    >
      <TextField
        label={t.home.deviceName}
        error={isEmpty ? t.problem.entries.required() : errorAt(error, "/device/name")}
        value={typed.name}
        onInput={(name) => {
          type({ name });
          setEmpty(false);
        }}
        maxLength={128}
        button={
          <Submit {...{ error, isBusy }} kind="plain">
            {verb}
          </Submit>
        }
      />
    </Form>
  );
}
