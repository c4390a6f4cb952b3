// A record of the ledger as an object of the Kubernetes API: its metadata, and the names by which it is found again.
// A name is made of the record's key, so that it is the same for ever, on every replica.
import { createHash } from 'node:crypto';
import type { EpochMillis } from '@podtrail/history/wire';

export const GROUP = 'history.podtrail.dev';
export const VERSION = 'v1';
export const GROUP_VERSION = `${GROUP}/${VERSION}`;

/** A record, and when it became known: what versions are made of. */
export interface HistoryRecord {
  readonly name: string;
  /** Undefined for what is in no namespace. */
  readonly namespace: string | undefined;
  /** When it began, for its age. */
  readonly at: EpochMillis;
  /** When it was first observed, and when something of it was last observed. */
  readonly began: EpochMillis;
  readonly changed: EpochMillis;
  /** The fields beside apiVersion, kind and metadata. */
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface HistoryObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp: string;
  };
  readonly [field: string]: unknown;
}

export function historyObject(kind: string, record: HistoryRecord, resourceVersion: string): HistoryObject {
  const { name, namespace, at, fields } = record;
  return {
    apiVersion: GROUP_VERSION,
    kind,
    metadata: {
      name,
      ...(namespace === undefined || namespace === '' ? {} : { namespace }),
      uid: uidOf(`${kind}/${namespace ?? ''}/${name}`),
      resourceVersion,
      // Of whole seconds, as everywhere in Kubernetes.
      creationTimestamp: `${new Date(Math.max(0, at)).toISOString().slice(0, 19)}Z`,
    },
    ...withoutNulls(fields),
  };
}

/** What is not known, or has not come, is left out. */
function withoutNulls(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null && value !== undefined));
}

function uidOf(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)].join(
    '-',
  );
}

/** An address as a part of a name: 10-244-0-3, fd00-0-0-0-0-0-0-1. */
export function addressName(ip: string): string {
  if (!ip.includes(':')) return ip.replaceAll('.', '-');
  const [head = '', tail] = ip.split('::');
  const groups = (text: string) => text.split(':').filter((group) => group !== '');
  const missing = tail === undefined ? 0 : 8 - groups(head).length - groups(tail).length;
  return [...groups(head), ...Array.from({ length: missing }, () => '0'), ...groups(tail ?? '')].join('-');
}

/** A UID as a part of a name; those of Kubernetes are as they are. */
export function uidName(uid: string): string {
  return /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(uid) && !uid.startsWith('x-')
    ? uid
    : `x-${Buffer.from(uid, 'utf8').toString('hex')}`;
}

export function uidOfName(part: string): string {
  return part.startsWith('x-') ? Buffer.from(part.slice(2), 'hex').toString('utf8') : part;
}

export function versionName({ epoch, resourceVersion }: { readonly epoch: number; readonly resourceVersion: string }) {
  return `${epoch}-${/^[a-z0-9]+$/.test(resourceVersion) ? resourceVersion : 'none'}`;
}

export function digestName(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 10);
}
