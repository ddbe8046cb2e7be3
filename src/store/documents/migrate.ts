import Conf from "conf";
import { filledIn } from "../validation/members.ts";
import { compareFormats, type Form, type Members, type Migrated, withoutInternal } from "./document-kind.ts";

/** A document's members in the present form; `form`: the one that they have. Throws what a migration throws. */
export function migrated(members: Members, kind: Migrated, form: Form): Members {
  if (compareFormats(form.newest, form.version) <= 0) return throughConf(members, kind);
  // It was in a newer form before; a release that knew only this one has passed on the unknown members.
  const isKnown = compareFormats(form.newest, kind.formatVersion) <= 0;
  const reached = isKnown ? form.newest : kind.formatVersion;
  const again = throughConf(members, { ...kind, formatVersion: reached });
  const filled = filledIn(withoutInternal(members), withoutInternal(again)) as Members;
  return throughConf({ ...filled, __internal__: { migrations: { version: reached } } }, kind);
}

/** The members after conf's migrations: in memory, so that it needs no writable disk. */
function throughConf(members: Members, { formatVersion, migrations }: Migrated): Members {
  const conf = new (confOver(members))({
    // conf reads nothing there: without a folder it would look for the user's own.
    cwd: "/nonexistent",
    accessPropertiesByDotNotation: false,
    projectVersion: formatVersion,
    migrations: { ...migrations },
  });
  return conf.store;
}

/** A conf with a value in memory instead of a file. */
function confOver(initial: Members): typeof Conf<Members> {
  let present = initial;
  return class extends Conf<Members> {
    // conf changes the value that it has read in place, and then stores it.
    override get store(): Members {
      return structuredClone(present);
    }
    override set store(next: Members) {
      present = next;
    }
  };
}
