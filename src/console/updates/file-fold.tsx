import { t } from "../catalogue/words.ts";
import { usePart } from "../client/parts.ts";
import { Skeleton } from "../ui/page.tsx";
import { Fold } from "./fold.tsx";
import type { FromFileProps } from "./from-file.tsx";

/** Updates from a file, for a device without a network; its part is loaded when it is opened. */
export function FileFold(props: FromFileProps) {
  return (
    <Fold name="file" title={t.updates.fromFile} summary={t.updates.fromFileFor}>
      <Opened {...props} />
    </Fold>
  );
}

function Opened(props: FromFileProps) {
  const part = usePart("upload");
  return part === null ? <Skeleton lines={4} /> : <part.Body {...props} />;
}
