import { useState } from "preact/hooks";
import type { Need } from "../../contract/types.ts";
import { t } from "../catalogue/words.ts";
import { call } from "../client/call.ts";
import { greet } from "../client/connection.ts";
import { Link } from "../navigation/link.tsx";
import { colourOf } from "../needs/how.ts";
import { NeedText } from "../needs/need-text.tsx";
import { needInWords } from "../needs/need-words.ts";
import { remedyOf, remedyQuery } from "../needs/remedies.ts";
import { isOneOf, isShown, me } from "../session/session.ts";
import { ActionButton } from "../ui/button.tsx";
import { TextField } from "../ui/form/field.tsx";
import { errorAt, Form, useForm } from "../ui/form/form.tsx";
import { Submit } from "../ui/form/submit.tsx";
import { Section } from "../ui/page.tsx";
import { Shape } from "../ui/shape.tsx";
import { Spoken } from "../ui/spoken.tsx";

/** Lists the needs, the gravest first, each with a link to the page that deals with it. */
export function NeedList({ needs }: { readonly needs: readonly Need[] }) {
  if (needs.length === 0) return null;
  return (
    <Section title={isOneOf("admin") ? t.home.yours : t.home.administrators}>
      <ul class="needs">
        {needs.map((need, index) => (
          // The first fact tells needs of one code apart: a release, a receiver, a report of the product.
          <NeedItem key={`${need.code} ${Object.values(need.facts)[0]}`} need={need} isFirst={index === 0} />
        ))}
      </ul>
    </Section>
  );
}

function NeedItem({ need, isFirst }: { readonly need: Need; readonly isFirst: boolean }) {
  const { detail } = need;
  const words = needInWords(need);
  const releaseId = releaseIdOf(need);
  const state = colourOf(need);
  return (
    <li class={state}>
      <Shape name={state} />
      <div>
        {words === null ? (
          <Spoken text={detail} />
        ) : (
          <>
            <h3>
              <bdi>{words.title}</bdi>
            </h3>
            <p>
              <NeedText need={need} />
            </p>
          </>
        )}
      </div>
      {words !== null && <WayOut need={need} text={words.button} isFirst={isFirst} />}
      {words !== null && releaseId !== "" && isOneOf("admin") && (
        <ActionButton
          label={`${t.home.dismiss}: ${words.title}`}
          act={async () => {
            await call("dismissFailedUpdate", { body: { release_id: releaseId } });
            await greet();
          }}
        >
          {t.home.dismiss}
        </ActionButton>
      )}
    </li>
  );
}

function releaseIdOf({ facts }: Need): string {
  return (facts as { release_id?: string }).release_id ?? "";
}

function WayOut({
  need,
  text,
  isFirst,
}: {
  readonly need: Need;
  readonly text: string;
  readonly isFirst: boolean;
}) {
  const { code, facts } = need;
  if (code === "device_unnamed" && isOneOf("admin")) return <NameDevice verb={text} />;
  // Administrators who have one themselves are led to the others; it is not about other roles.
  if (code === "second_factor_advised" && !isOneOf("admin")) return null;
  // Only the product can mend it, and root has named no page of it that helps.
  if (code.startsWith("product") && !("page" in facts)) return null;
  const isOthers = code === "second_factor_advised" && me().two_factor.enabled;
  const shown = isOthers ? ({ ...need, code: "two_factor_missing" } as const) : need;
  const { to } = remedyOf(shown);
  if (!isShown(to)) return null;
  return (
    <Link to={to} query={remedyQuery(shown)} className={`button ${isFirst ? "primary" : "plain"}`}>
      {isOthers ? t.home.needButtons.two_factor_missing : text}
    </Link>
  );
}

/** Names the device where the page says that it has no name. */
function NameDevice({ verb }: { readonly verb: string }) {
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
          <Submit error={error} isBusy={isBusy} kind="plain">
            {verb}
          </Submit>
        }
      />
    </Form>
  );
}
