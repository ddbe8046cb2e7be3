import { t } from "../../catalogue/words.ts";
import { useResource } from "../../client/use-resource.ts";
import { Link } from "../../navigation/link.tsx";
import { Button } from "../../ui/button.tsx";
import { Section } from "../../ui/page.tsx";
import { Time } from "../../ui/time.tsx";
import { Row, Rows } from "./rows.tsx";
import { SupportRow } from "./support-row.tsx";

/** An administrator's copies of the device, the ways back from them, and updates without a network. */
export function CareSection({ onBackup }: { readonly onBackup: () => void }) {
  const status = useResource("getStatus").value;
  return (
    <Section title={t.machine.care}>
      <Rows>
        <Row
          title={t.machine.backup}
          text={
            status && (
              <>
                {t.machine.lastBackup} <Time at={status.last_backup_at ?? null} />
              </>
            )
          }
        >
          <Button onClick={onBackup}>{t.machine.makeBackup}</Button>
        </Row>
        <Row
          title={t.machine.restore}
          text={
            <>
              {t.machine.restoreText} <code>steward restore FILE --as-replacement</code>
            </>
          }
        />
        <Row title={t.machine.fromFile} text={t.machine.fromFileText}>
          <Link to="/updates" query={{ open: "file" }} className="button">
            {t.machine.fromFileVerb}
          </Link>
        </Row>
        <SupportRow />
      </Rows>
    </Section>
  );
}
