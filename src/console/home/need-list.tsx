import { isSetupNeed } from "../../contract/need-areas.ts";
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
import { Section } from "../ui/page.tsx";
import { Shape } from "../ui/shape.tsx";
import { Spoken } from "../ui/spoken.tsx";

/** Lists the warnings, the gravest first, each with a link to the page that deals with it. */
export function NeedList({ needs }: { readonly needs: readonly Need[] }) {
  if (needs.length === 0) return null;
  return (
    <Section title={t.home.warnings}>
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
  const words = needInWords(need);
  const { release_id: releaseId = "" } = need.facts as { release_id?: string };
  const state = colourOf(need);
  return (
    <li class={state}>
      <Shape name={state} />
      <div>
        {words === null ? (
          <Spoken text={need.detail} />
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
  // Only the product can mend it, and root has named no page of it that helps.
  if (code.startsWith("product") && !("page" in facts)) return null;
  const { to } = remedyOf(need);
  if (!isShown(to)) return null;
  return (
    <Link to={to} query={remedyQuery(need)} className={`button ${isFirst ? "primary" : "plain"}`}>
      {text}
    </Link>
  );
}

/** The steps that the first run left, each a link to where it is done. They are an administrator's. */
export function Checklist({ needs }: { readonly needs: readonly Need[] }) {
  const left = needs.filter(isSetupNeed);
  if (left.length === 0 || !isOneOf("admin")) return null;
  return (
    <Section title={t.home.finishSetup(left.length)}>
      <ul class="needs to-do">
        {left.map((need) => {
          // Administrators who have a second factor themselves are led to the others.
          const isOthers = need.code === "second_factor_advised" && me().two_factor.enabled;
          const shown = isOthers ? ({ ...need, code: "two_factor_missing" } as const) : need;
          return (
            <li key={need.code}>
              <Shape name="ahead" />
              <Link to={remedyOf(shown).to} query={remedyQuery(shown)}>
                <bdi>{needInWords(need)?.title}</bdi>
              </Link>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}
