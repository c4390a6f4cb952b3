// How each operation of the HTTP API and each tool is asked in tests of who sees what: with addresses, pods and namespaces
// that are shown, hidden and absent. serve-access.test.ts and e2e/serving-access.test.ts share it, so that a new parameter
// or tool is added in one place.
import type { RequestValues } from './described-requests.ts';

export interface AskedValues {
  readonly addresses: readonly string[];
  readonly subjects: readonly string[];
  readonly namespaces: readonly string[];
  readonly nodes: readonly string[];
  /** Instants; the first is one at which there was something to see. */
  readonly at: readonly number[];
  readonly since: number;
  readonly until: number;
  /** Of an annotation that changed. */
  readonly key: string;
}

export function requestValues({ addresses, subjects, namespaces, nodes, at, since, until, key }: AskedValues) {
  const [during = since] = at;
  const rows = addresses.map((ip) => `${ip},${new Date(during).toISOString()}\n`).join('');
  const [node = ''] = nodes;
  return {
    parameters: {
      ip: addresses,
      subject: subjects,
      namespace: namespaces,
      at: at.map(String),
      since: [String(since)],
      until: [String(until)],
      node: nodes,
      fromNode: [node],
      toNode: [node],
      cause: ['DeletedOnRequest'],
      key: [key],
      text: [...subjects, ...addresses, ...nodes, ...namespaces],
      // Both kinds of records; what a lane is changes nothing of which are seen.
      by: ['workload', 'ip'],
      against: [String(since)],
      window: ['60'],
      order: ['newest'],
      most: ['1'],
      buckets: ['10'],
      lanes: ['1'],
      seen: ['true'],
      limit: ['1'],
      cursor: ['nonsense'],
      cluster: ['other'],
    },
    bodies: {
      'POST /api/v1/who': [
        {
          type: 'application/json',
          text: JSON.stringify({ questions: addresses.map((ip) => ({ ip, at: String(during) })) }),
        },
        { type: 'application/json', text: JSON.stringify({ questions: [{ ip: 'nonsense' }] }) },
      ],
      'POST /api/v1/attribute': [
        { type: 'text/csv', text: `src,start\n${rows}`, query: 'ip=src&time=start' },
        { type: 'text/csv', text: `src,start\n${rows}`, query: 'ip=src&time=start&traffic=true&output=jsonl' },
        { type: 'text/csv', text: 'src,start\nx', query: 'ip=dst&time=start' },
      ],
    },
  } satisfies RequestValues;
}

/** Calls of each tool that aim at what is hidden. */
export function toolCalls(values: AskedValues): Readonly<Record<string, readonly object[]>> {
  const { addresses, subjects, nodes, at, since, until } = values;
  const instant = String(at[0] ?? since);
  const [node = ''] = nodes;
  return {
    who_had_ip: addresses.map((ip) => ({ ip, at: instant })),
    attribute_flows: [
      { flows: addresses.map((ip) => ({ at: instant, source: ip, destination: addresses[0] })) },
      { flows: [{ at: 'then' }] },
    ],
    pod_trail: subjects.flatMap((subject) => [
      { subject, namespace: 'vault' },
      { subject, namespace: 'shop' },
      { subject },
    ]),
    node_at: [...nodes.map((name) => ({ node: name })), { node, since: String(since), until: String(until) }],
    moves: [{}, { namespace: 'vault' }, { fromNode: node, limit: 1 }],
    explain: subjects.flatMap((subject) => [{ subject, namespace: 'vault' }, { subject }]),
    coverage: [{}],
  };
}

export const LIST_TOOLS = '{"jsonrpc":"2.0","id":1,"method":"tools/list"}';

export function toolCall(name: string, input: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } });
}

/** Of the answer to LIST_TOOLS. */
export function listedTools(body: string): readonly string[] {
  return [...body.matchAll(/"name":"(\w+)","title"/g)].map(([, name = '']) => name).sort();
}
