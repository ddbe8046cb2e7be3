import { t } from "../../catalogue/words.ts";

/** The words with the mark of authenticated time (RFC 8915): `selected, authenticated`. */
export function withMark(words: string, isAuthenticated: boolean): string {
  return isAuthenticated ? `${words}, ${t.home.authenticated}` : words;
}
