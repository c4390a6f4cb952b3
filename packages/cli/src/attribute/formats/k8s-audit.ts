// Kubernetes audit events, as lines or as an EventList. `src` is the first of sourceIPs, where the request came from as the
// headers say; `peer` is the last, whose connection it really was, where that is another one.
import type { Members } from '../row.ts';
import { type JsonFormat, timeOf } from './format.ts';

export const k8sAudit: JsonFormat = {
  name: 'k8s-audit',
  summary: 'Kubernetes audit events',
  kind: 'json',
  ends: ['src', 'peer'],
  wrapper: 'items',
  sniff: (beginning) => beginning.includes('audit.k8s.io/') && /"(?:auditID|EventList)"/.test(beginning),
  flows: (record) => {
    const start = timeOf(record, 'requestReceivedTimestamp') ?? timeOf(record, 'stageTimestamp');
    if (start === undefined) return undefined;
    const addresses = sourcesOf(record);
    const peer = addresses.length > 1 ? addresses.at(-1) : undefined;
    return [
      {
        ends: [
          { address: addresses[0], sent: addresses.length === 1 },
          { address: peer, sent: true },
        ],
        start,
      },
    ];
  },
};

function sourcesOf(record: Members): readonly string[] {
  const value = Object.hasOwn(record, 'sourceIPs') ? record['sourceIPs'] : undefined;
  return Array.isArray(value) ? value.filter((ip) => typeof ip === 'string' && ip !== '') : [];
}
