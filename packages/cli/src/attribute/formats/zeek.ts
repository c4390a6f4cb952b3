// Zeek logs (conn.log and all that have id.orig_h): tab-separated with a #fields line, or JSON. A connection lasts from ts
// for its duration; in logs without one, ts is an instant.
import { countOf, type JsonFormat, type TextFormat, textOf, timeOf } from './format.ts';

const NAMED = { name: 'zeek', summary: 'Zeek logs, TSV with #fields or JSON', ends: ['src', 'dst'] } as const;

export const zeekText: TextFormat = {
  ...NAMED,
  kind: 'text',
  delimiter: '\t',
  hasQuotes: false,
  empty: '-',
  sniff: (beginning) => /^#separator |^#fields\t/m.test(beginning.slice(0, 4096)) && beginning.startsWith('#'),
  header: () => 'directive',
  columns: (names) => {
    if (!['ts', 'id.orig_h', 'id.resp_h'].every((name) => names.includes(name))) return undefined;
    return {
      ends: [
        { column: 'id.orig_h', sent: true },
        { column: 'id.resp_h', sent: names.includes('resp_pkts') ? 'resp_pkts' : false },
      ],
      start: 'ts',
      lasted: names.includes('duration') ? 'duration' : undefined,
    };
  },
};

export const zeekJson: JsonFormat = {
  ...NAMED,
  kind: 'json',
  sniff: (beginning) => beginning.includes('"id.orig_h"') && beginning.includes('"ts"'),
  flows: (record) => {
    const start = timeOf(record, 'ts');
    if (start === undefined) return undefined;
    return [
      {
        ends: [
          { address: textOf(record, 'id.orig_h'), sent: true },
          { address: textOf(record, 'id.resp_h'), sent: countOf(record, 'resp_pkts') > 0 },
        ],
        start,
        lasted: Object.hasOwn(record, 'duration') ? countOf(record, 'duration') * 1000 : undefined,
      },
    ];
  },
};
