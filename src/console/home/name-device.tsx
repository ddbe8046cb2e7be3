import { useState } from "preact/hooks";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { greet } from "../client/connection.ts";
import { useAction } from "../client/use-action.ts";
import { TextField } from "../ui/form/field.tsx";
import { errorAt, Form } from "../ui/form/form.tsx";
import { Submit } from "../ui/form/submit.tsx";

/** The device's name, given where it is said to be missing. */
export function NameDevice({ verb }: { readonly verb: string }) {
  const [name, setName] = useState("");
  const [isEmpty, setEmpty] = useState(false);
  const action = useAction(async () => {
    await call("updateSettings", { body: { device: { name: name.trim() } } });
    await greet();
  });
  const fault = isEmpty ? t.problem.entries.required() : errorAt(action.error, "/device/name");
  return (
    <Form
      error={action.error}
      isBrief={fault !== null}
      onSubmit={() => {
        setEmpty(name.trim() === "");
        if (name.trim() !== "") void action.run();
      }}
      footer={null}
    >
      <TextField
        label={t.home.deviceName}
        error={fault}
        value={name}
        onInput={(next) => {
          setName(next);
          setEmpty(false);
        }}
        maxLength={128}
        autocomplete="off"
        button={
          <Submit action={action} kind="plain">
            {verb}
          </Submit>
        }
      />
    </Form>
  );
}
