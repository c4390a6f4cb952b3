// Falco alerts in JSON. The ends are the client and the server of the connection of the event, from its output fields or
// from the name of its file descriptor (10.1.2.3:5000->10.4.5.6:80); most events have none.
import type { Members } from '../row.ts';
import { type JsonFormat, objectOf, textOf, timeOf } from './format.ts';

const CONNECTION = /^(?:\[?([0-9a-fA-F:.]+?)\]?:\d+)->(?:\[?([0-9a-fA-F:.]+?)\]?:\d+)$/;

export const falco: JsonFormat = {
  name: 'falco',
  summary: 'Falco alerts in JSON',
  kind: 'json',
  ends: ['src', 'dst'],
  sniff: (beginning) => beginning.includes('"output_fields"') && beginning.includes('"rule"'),
  flows: (record) => {
    const fields = objectOf(record, 'output_fields');
    const start = timeOf(record, 'time') ?? timeOf(fields, 'evt.time');
    if (start === undefined) return undefined;
    const [client, server] = endsOf(fields);
    return [
      {
        ends: [
          { address: client, sent: client !== undefined },
          { address: server, sent: false },
        ],
        start,
      },
    ];
  },
};

function endsOf(fields: Members): readonly [string | undefined, string | undefined] {
  const [, from, to] = CONNECTION.exec(textOf(fields, 'fd.name') ?? '') ?? [];
  const first = (...names: readonly string[]) =>
    names.map((name) => textOf(fields, name)).find((ip) => ip !== undefined);
  return [first('fd.cip', 'fd.lip') ?? from, first('fd.sip', 'fd.rip') ?? to];
}
