// Cilium Hubble flows, as its exporter and `hubble observe -o json` write them: one packet each. Events without addresses
// (agent and debug events, lost events) are rows without a question.
import type { Members } from '../row.ts';
import { type JsonFormat, objectOf, textOf, timeOf } from './format.ts';

export const hubble: JsonFormat = {
  name: 'hubble',
  summary: 'Cilium Hubble flows in JSON',
  kind: 'json',
  ends: ['src', 'dst'],
  sniff: (beginning) =>
    /"IP"\s*:\s*\{\s*"(?:source|destination)"/.test(beginning) && /"verdict"|"node_name"/.test(beginning),
  flows: (record) => {
    const flow: Members = Object.hasOwn(record, 'flow') ? objectOf(record, 'flow') : record;
    const ip = objectOf(flow, 'IP');
    const start = timeOf(flow, 'time') ?? timeOf(record, 'time');
    if (start === undefined) return undefined;
    return [
      {
        ends: [
          { address: textOf(ip, 'source'), sent: true },
          { address: textOf(ip, 'destination'), sent: false },
        ],
        start,
      },
    ];
  },
};
