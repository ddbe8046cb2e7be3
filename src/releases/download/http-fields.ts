import { type Fields, readHttpDate } from "../../host/retry-after.ts";
import type { Validators } from "../../tuf/repository.ts";

/** Bytes of a validator: those of known servers have a tenth of it. */
const longestValidator = 256;

/** Whole bytes; null: not said, or not understood. */
export function readContentLength(text: string | undefined): number | null {
  return /^[0-9]{1,15}$/.test(text ?? "") ? Number(text) : null;
}

/** Validators of a response that can be sent back later; malformed and overlong ones are left out. */
export function validatorsOf(fields: Fields): Validators {
  const { etag, "last-modified": modified } = fields;
  const isTag = etag !== undefined && etag.length <= longestValidator && /^(W\/)?"[!#-~]*"$/.test(etag);
  return {
    etag: isTag ? etag : null,
    last_modified: modified !== undefined && readHttpDate(modified) !== null ? modified : null,
  };
}
