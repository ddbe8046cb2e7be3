import { StewardError } from "../../contract/errors.ts";

export interface Finding {
  /** A device's error, or a word for what it puts up with. `other_files`: the server has other metadata than the folder. */
  readonly code: StewardError["code"] | Habit | "not_a_release" | "other_files";
  /** False: devices put up with it. */
  readonly is_refused: boolean;
  /** Such as `metadata/timestamp.json`. */
  readonly files: readonly string[];
  readonly message: string;
  readonly remedy: string;
}

type Habit = "caching" | "coding" | "no_ranges" | "page_for_missing" | "redirect";

/** By the reason of a device's refusal, or else by its code. */
const remedies: Readonly<Record<string, string>> = {
  certificate: "Send the whole chain (nginx: fullchain.pem). For an authority of your own: --ca-file.",
  certificate_date: "Renew the server's certificate, unless the clock of this machine is wrong.",
  update_file_missing: "Upload it: targets/ first, and metadata/timestamp.json last.",
  update_metadata_expired: "Renew it, publish and upload: steward-publisher renew, publish.",
  update_metadata_malformed: "Look at it with curl. Upload it again, and answer missing files with 404.",
  update_metadata_mismatch: "Upload metadata/ again, timestamp.json last; if that was done, purge the cache.",
  update_payload_mismatch: "Upload it again; no cache or server may change its bytes.",
  update_web_page:
    "Upload it. If it is there, look with curl what stands between: a sign-in, a proxy, an error page.",
  update_root_unusable: "Upload the roots again; with --root, give the one that devices have.",
  update_server_refused:
    "Answer 200, or 404 for a missing file, at this very address, or see --redirect-origin.",
  update_server_unreachable: "Check the address, and with curl -v that the server answers from here.",
  update_signature_invalid: "Is it the server of this repository? Then upload metadata/ again.",
  update_too_large: "Upload it again; no cache or server may change its bytes.",
};

/** The findings of one check, each once, with all files that it is about. */
export class Findings {
  readonly #all = new Map<string, Finding>();

  add(file: string, finding: Omit<Finding, "files">): void {
    const key = JSON.stringify([finding.code, finding.message]);
    const files = [...new Set([...(this.#all.get(key)?.files ?? []), file])];
    this.#all.set(key, { ...finding, files });
  }

  /** A habit that devices put up with. */
  note(file: string, code: Habit, message: string, remedy: string): void {
    this.add(file, { code, is_refused: false, message, remedy });
  }

  /** null: a device would refuse it, which is then found. Throws what is no refusal. */
  async attempt<T>(file: string, work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StewardError) || !error.code.startsWith("update_")) throw error;
      const { code, message, details } = error;
      const remedy = remedies[details.reason ?? code] ?? remedies[code] ?? "Look at it with curl -v.";
      this.add(file, { code, is_refused: true, message, remedy });
      return null;
    }
  }

  list(): readonly Finding[] {
    return [...this.#all.values()];
  }
}

/** A finding as a line, which names the first of the files that it is about. */
export function sentenceOf({ files: [first = "", ...others], message, remedy }: Finding): string {
  return `${first}${others.length > 0 ? ` and ${others.length} more` : ""}: ${message} ${remedy}`;
}
