import type { KeyObject } from "./signing-key.ts";

/** The lab signs these forms of TUF. They are open to more members, for tests spoil them. */
interface LabRole {
  keyids: string[];
  threshold: number;
  [more: string]: unknown;
}

interface LabCommon {
  spec_version: string;
  version: number;
  expires: string;
  [more: string]: unknown;
}

export interface LabRoot extends LabCommon {
  _type: "root";
  consistent_snapshot: boolean;
  keys: Record<string, KeyObject>;
  roles: Record<string, LabRole>;
}

export interface LabMetaFile {
  version: number;
  length?: number;
  hashes?: Record<string, string>;
  [more: string]: unknown;
}

export interface LabListing extends LabCommon {
  _type: "snapshot" | "timestamp";
  meta: Record<string, LabMetaFile>;
}

export interface LabTarget {
  length: number;
  hashes: Record<string, string>;
  custom?: Record<string, unknown>;
  [more: string]: unknown;
}

export interface LabDelegation extends LabRole {
  name: string;
  terminating: boolean;
  paths?: string[];
  path_hash_prefixes?: string[];
}

export interface LabTargets extends LabCommon {
  _type: "targets";
  targets: Record<string, LabTarget>;
  delegations?: { keys: Record<string, KeyObject>; roles: LabDelegation[]; [more: string]: unknown };
}

export type LabSigned = LabRoot | LabListing | LabTargets;

export interface Envelope {
  signatures: { keyid: string; sig: string; [more: string]: unknown }[];
  signed: LabSigned;
  [more: string]: unknown;
}

/** Hooks of an attacker; each may change what it is given, or give something else back. */
export interface Tampering {
  /** One who holds the role's keys. */
  beforeSigning?(role: string, signed: LabSigned): LabSigned | undefined;
  /** One who holds no key: the signatures are made already. */
  afterSigning?(role: string, envelope: Envelope): Envelope | undefined;
  /** One who may change bytes. */
  asServed?(role: string, bytes: Buffer): Buffer | undefined;
}

export interface ReleaseOptions {
  kind?: "rules" | "binary";
  channel?: string;
  name?: string;
  version?: string;
  product?: string;
  arch?: string;
  payload?: Uint8Array;
  /** Over what the release would say of itself; `undefined` takes a member away. */
  custom?: Record<string, unknown>;
}

/** A target as it was added. */
export interface AddedTarget {
  path: string;
  /** Under which it is served. */
  file: string;
  payload: Uint8Array;
  target: LabTarget;
}

/** RFC 3339, whole seconds, UTC, `days` after `now`. */
export function inDays(now: Date, days: number): string {
  return new Date(now.getTime() + days * 86_400_000).toISOString().replace(/\.\d+Z$/, "Z");
}
