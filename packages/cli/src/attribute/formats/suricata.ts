// Suricata's eve.json. Flow events last from flow.start to flow.end; all others are instants. Events without addresses
// (stats) are rows without a question.
import { countOf, type JsonFormat, objectOf, textOf, timeOf } from './format.ts';

export const suricata: JsonFormat = {
  name: 'suricata',
  summary: 'Suricata eve.json',
  kind: 'json',
  ends: ['src', 'dst'],
  sniff: (beginning) => beginning.includes('"event_type"') && /"(?:src_ip|flow_id|stats)"/.test(beginning),
  flows: (record) => {
    const isFlow = ['flow', 'netflow'].includes(textOf(record, 'event_type') ?? '');
    const times = objectOf(record, textOf(record, 'event_type') === 'netflow' ? 'netflow' : 'flow');
    const start = (isFlow ? timeOf(times, 'start') : undefined) ?? timeOf(record, 'timestamp');
    if (start === undefined) return undefined;
    return [
      {
        ends: [
          { address: textOf(record, 'src_ip'), sent: true },
          { address: textOf(record, 'dest_ip'), sent: isFlow && countOf(times, 'bytes_toclient') > 0 },
        ],
        start,
        end: isFlow ? timeOf(times, 'end') : undefined,
      },
    ];
  },
};
