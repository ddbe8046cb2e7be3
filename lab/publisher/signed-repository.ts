import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { canonical } from "./canonical.ts";
import {
  type AddedTarget,
  type Envelope,
  inDays,
  type LabDelegation,
  type LabListing,
  type LabMetaFile,
  type LabRoot,
  type LabSigned,
  type LabTarget,
  type LabTargets,
  type ReleaseOptions,
  type Tampering,
} from "./signed-forms.ts";
import { createSigningKey, type KeyObject, type SigningKey, sha256, sha512 } from "./signing-key.ts";

const topLevel = ["root", "timestamp", "snapshot", "targets"];

export interface RepositoryOptions {
  /** The publisher's clock shows this; expiries count from it. */
  now?: Date;
  /** True: timestamp and snapshot give length and hashes of what they list, beside the versions. */
  pinned?: boolean;
  thresholds?: Record<string, number>;
  /** A role has so many keys; default 1. */
  keyCounts?: Record<string, number>;
}

/**
 * A real TUF repository, signed with real keys and written by nothing of the product: layout `metadata/N.role.json`,
 * `targets/<channel>/<kind>/<sha512>.<name>`, delegations `rules` and `binary`. It begins with version 1 of everything.
 */
export class SignedRepository {
  /** As served now, by path without a leading slash; old versions stay. */
  readonly files = new Map<string, Buffer>();
  /** The keys that may sign, by role; `publishRoot` and `publish("targets")` make it known. */
  readonly keys: Record<string, SigningKey[]> = {};
  readonly thresholds: Record<string, number>;
  /** These keys sign a role instead of its own. */
  readonly signers: Record<string, SigningKey[]> = {};
  readonly delegated: Record<string, LabTargets> = {};
  tampering: Tampering = {};
  root: LabRoot;
  timestamp: LabListing;
  snapshot: LabListing;
  targets: LabTargets;
  readonly #options: RepositoryOptions;
  readonly #now: Date;
  #rootKeysBefore: SigningKey[] = [];

  /** With an original it is empty: `fork` gives it what that has. */
  constructor(options: RepositoryOptions = {}, original?: SignedRepository) {
    const { now = new Date(), thresholds = {}, keyCounts = {} } = options;
    this.#options = options;
    this.#now = now;
    this.thresholds = { ...thresholds };
    for (const role of [...topLevel, "rules", "binary"]) {
      // A fork has those of the original; to make others took most of its time.
      const count = original ? 0 : (keyCounts[role] ?? 1);
      this.keys[role] = Array.from({ length: count }, () => createSigningKey());
    }
    const common = (days: number) => ({ spec_version: "1.0.34", version: 0, expires: inDays(now, days) });
    this.root = { _type: "root", ...common(365), consistent_snapshot: true, keys: {}, roles: {} };
    this.timestamp = { _type: "timestamp", ...common(7), meta: {} };
    this.snapshot = { _type: "snapshot", ...common(30), meta: {} };
    this.targets = { _type: "targets", ...common(90), targets: {} };
    if (original) return;
    this.delegate("rules", { paths: ["*/rules/*"] });
    this.delegate("binary", { paths: ["*/binary/*"] });
    this.publishRoot();
    this.publish("targets", "rules", "binary");
  }

  /**
   * The same repository in other hands: this object does not know of later publications there. It has all the keys: set
   * `signers` for hands that should not have them.
   */
  fork(): SignedRepository {
    const other = new SignedRepository(this.#options, this);
    for (const [path, bytes] of this.files) other.files.set(path, bytes);
    for (const [role, keys] of Object.entries(this.keys)) other.keys[role] = [...keys];
    Object.assign(other.thresholds, this.thresholds);
    const { root, timestamp, snapshot, targets } = this;
    Object.assign(other, structuredClone({ root, timestamp, snapshot, targets }));
    Object.assign(other.delegated, structuredClone(this.delegated));
    other.#rootKeysBefore = this.#rootKeysBefore;
    return other;
  }

  /** A further delegation of the top-level targets, to be published; its keys are made where there are none. */
  delegate(name: string, more: Partial<LabDelegation> = {}): LabTargets {
    this.keys[name] ??= [createSigningKey()];
    const expires = inDays(this.#now, 90);
    const made: LabTargets = { _type: "targets", spec_version: "1.0.34", version: 0, expires, targets: {} };
    this.delegated[name] = made;
    this.targets.delegations ??= { keys: {}, roles: [] };
    this.targets.delegations.roles.push({ name, keyids: [], threshold: 1, terminating: true, ...more });
    return made;
  }

  /** A release of FORMAT's layout, in the role of its kind; to be published. */
  addRelease(options: ReleaseOptions = {}): AddedTarget {
    const { kind = "rules", channel = "stable", version = "1.0.0", product = "demo", arch = "any" } = options;
    const { name = kind === "rules" ? "base" : product } = options;
    const file = kind === "rules" ? `${name}-${version}` : `${product}-${version}-linux-${arch}`;
    const all = { steward: 1, kind, name, version, channel, product, arch, ...options.custom };
    const custom = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
    const payload = options.payload ?? Buffer.from(`${kind} ${name} ${version} ${product} ${arch}\n`);
    return this.addTarget(kind, `${channel}/${kind}/${file}.tar.gz`, payload, custom);
  }

  /** Any target, in any role: a stolen key signs what it likes. */
  addTarget(role: string, path: string, payload: Uint8Array, custom?: Record<string, unknown>): AddedTarget {
    const hashes = { sha256: sha256(payload), sha512: sha512(payload) };
    const target: LabTarget = { length: payload.length, hashes, ...(custom ? { custom } : {}) };
    const signed = this.#targetsOf(role);
    // Not by assignment: `__proto__` is a name like another here.
    const descriptor = { value: target, enumerable: true, writable: true, configurable: true };
    Object.defineProperty(signed.targets, path, descriptor);
    const slash = path.lastIndexOf("/") + 1;
    const file = `targets/${path.slice(0, slash)}${hashes.sha512}.${path.slice(slash)}`;
    this.files.set(file, Buffer.from(payload));
    return { path, file, payload, target };
  }

  /** The next version of the root, signed by the keys before it and by its own. */
  publishRoot(change?: (root: LabRoot) => void): void {
    const keys = topLevel.flatMap((role) => this.keys[role] ?? []);
    this.root = {
      ...this.root,
      version: this.root.version + 1,
      keys: objectsOf(keys),
      roles: Object.fromEntries(topLevel.map((role) => [role, this.#roleOf(role)])),
    };
    change?.(this.root);
    const own = this.keys.root ?? [];
    this.#write("root", this.root, this.signers.root ?? unique([...this.#rootKeysBefore, ...own]));
    this.#rootKeysBefore = own;
  }

  /** The next version of each of these (targets or delegated roles), and of snapshot and timestamp. */
  publish(...roles: string[]): void {
    if (this.targets.delegations) {
      const delegations = this.targets.delegations;
      delegations.keys = objectsOf(delegations.roles.flatMap(({ name }) => this.keys[name] ?? []));
      for (const role of delegations.roles) Object.assign(role, this.#roleOf(role.name));
    }
    for (const role of roles) {
      const signed = this.#targetsOf(role);
      signed.version += 1;
      this.snapshot.meta[`${role}.json`] = this.#listed(signed.version, this.#write(role, signed));
    }
    this.publishSnapshot();
  }

  publishSnapshot(): void {
    this.snapshot.version += 1;
    const written = this.#write("snapshot", this.snapshot);
    this.timestamp.meta["snapshot.json"] = this.#listed(this.snapshot.version, written);
    this.publishTimestamp();
  }

  publishTimestamp(): void {
    this.timestamp.version += 1;
    this.#write("timestamp", this.timestamp);
  }

  /** A file of the metadata as served now, such as `1.root`. */
  metadata(name: string): Buffer {
    const bytes = this.files.get(`metadata/${name}.json`);
    if (!bytes) throw new Error(`the lab has no metadata/${name}.json`);
    return bytes;
  }

  /** As a directory, such as a USB stick holds. */
  async writeTo(directory: string): Promise<void> {
    for (const [path, bytes] of this.files) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), bytes);
    }
  }

  #targetsOf(role: string): LabTargets {
    const signed = role === "targets" ? this.targets : this.delegated[role];
    if (!signed) throw new Error(`the lab has no role ${role}`);
    return signed;
  }

  #roleOf(role: string): { keyids: string[]; threshold: number } {
    const keyids = (this.keys[role] ?? []).map((key) => key.id);
    return { keyids, threshold: this.thresholds[role] ?? 1 };
  }

  #listed(version: number, bytes: Buffer): LabMetaFile {
    if (this.#options.pinned === false) return { version };
    return { version, length: bytes.length, hashes: { sha256: sha256(bytes), sha512: sha512(bytes) } };
  }

  #write(role: string, signed: LabSigned, keys = this.signers[role] ?? this.keys[role] ?? []): Buffer {
    const draft = structuredClone(signed);
    const final = this.tampering.beforeSigning?.(role, draft) ?? draft;
    const over = canonical(final);
    const made: Envelope = {
      signatures: keys.map((key) => ({ keyid: key.id, sig: key.sign(over) })),
      signed: final,
    };
    const envelope = this.tampering.afterSigning?.(role, made) ?? made;
    // Indented: the signature is of the canonical form, not of the file.
    const plain = Buffer.from(JSON.stringify(envelope, null, 1));
    const bytes = this.tampering.asServed?.(role, plain) ?? plain;
    const name = role === "timestamp" ? role : `${signed.version}.${role}`;
    this.files.set(`metadata/${name}.json`, bytes);
    return bytes;
  }
}

function objectsOf(keys: readonly SigningKey[]): Record<string, KeyObject> {
  return Object.fromEntries(keys.map((key) => [key.id, key.object]));
}

function unique(keys: readonly SigningKey[]): SigningKey[] {
  return [...new Map(keys.map((key) => [key.id, key])).values()];
}
