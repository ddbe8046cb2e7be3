import { t } from "../catalogue/words.ts";
import { useResource } from "../client/use-resource.ts";
import { Skeleton } from "../ui/page.tsx";
import { Secret } from "../ui/secret.tsx";
import { curlLines, prometheusFiles, prometheusJob, wayIn } from "./token-use.ts";

/** Blocks to paste: a first request with a new token, and what Prometheus needs where the token is for metrics. */
export function TokenBlocks({
  token,
  scopes,
}: {
  readonly token: string;
  readonly scopes: readonly string[];
}) {
  const tls = useResource("getTls");
  if (tls.value === null && tls.error === null) return <Skeleton />;
  const way = wayIn(location.origin, tls.value);
  const curl = curlLines(token, scopes, way);
  return (
    <div class="token-blocks">
      {scopes.includes("metrics:read") && (
        <>
          <h3>Prometheus</h3>
          <p class="hint">{t.account.prometheusFiles}</p>
          <Secret label={t.account.prometheusFilesLabel} text={prometheusFiles(token, way)} />
          <Secret label="prometheus.yml" text={prometheusJob(way)} />
        </>
      )}
      {curl !== null && (
        <>
          <h3>curl</h3>
          <p class="hint">{t.account.curl}</p>
          <Secret label="curl" text={curl} />
        </>
      )}
    </div>
  );
}
