// Records of the wire as the server sends them, for tests: only what a test says differs.
import type { ChangeDocument, MoveDocument, WatchingDocument } from '@podtrail/history/wire';
import { instantText } from '../times/span.ts';

export const NOW = Date.UTC(2026, 10, 18, 12);

export function aMove(name: string, at: number, rest: Partial<MoveDocument> = {}): MoveDocument {
  return {
    ...{ at: instantText(at), kind: 'Pod', namespace: 'shop', name, pod: name, uid: `uid-${name}`, node: 'node-a' },
    ...{ workload: null, hostNetwork: false, from: 'node-a', to: null, fromIps: [], toIps: [], successor: null },
    ...{ cause: 'Evicted', certainty: 'certain', sentence: 'was evicted.', evidence: [], downtimeMs: null },
    ...rest,
  };
}

export function aChange(name: string, at: number, rest: Partial<ChangeDocument> = {}): ChangeDocument {
  return {
    ...{ change: 'changed', namespace: 'shop', name, pod: name, uid: `uid-${name}`, key: 'team' },
    ...{ before: { text: 'blue' }, after: { text: 'green' } },
    evidence: { source: 'watch', epoch: 1, resourceVersion: '7', observedAt: instantText(at) },
    ...rest,
  };
}

export function watched(from: number | null, gaps: WatchingDocument['gaps'] = []): WatchingDocument {
  return { from: from === null ? null : instantText(from), to: instantText(NOW), gaps };
}
