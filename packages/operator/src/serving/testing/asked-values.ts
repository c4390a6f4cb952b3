// How each operation of the HTTP API and each tool is asked in tests of who sees what: with addresses, pods and namespaces
// that are shown, hidden and absent. serve-access.test.ts and e2e/serving-access.test.ts share it, so that a new parameter
// or tool is added in one place.
import type { NamedValues, RequestValues } from './described-requests.ts';

export interface AskedValues {
  readonly addresses: NamedValues;
  readonly subjects: NamedValues;
  readonly namespaces: NamedValues;
  /** A hidden one has hidden pods only. */
  readonly nodes: NamedValues;
  /** Annotations that changed. */
  readonly keys: NamedValues;
  /** Of pages that an administrator was given; the last records of them are shown, hidden and absent ones. */
  readonly cursors: NamedValues;
  /** Instants; the first is one at which there was something to see. */
  readonly at: readonly number[];
  readonly since: number;
  readonly until: number;
}

export function allOf({ shown, hidden, absent }: NamedValues): readonly string[] {
  return [...shown, ...hidden, ...absent];
}

function joined(...some: readonly NamedValues[]): NamedValues {
  return {
    shown: some.flatMap(({ shown }) => shown),
    hidden: some.flatMap(({ hidden }) => hidden),
    absent: some.flatMap(({ absent }) => absent),
  };
}

/** Of a namespace that is shown only what is shown; of one that is hidden all is hidden. */
function workloadsOf(namespaces: NamedValues, subjects: NamedValues): NamedValues {
  const named = (which: keyof NamedValues) =>
    namespaces[which].flatMap((namespace) =>
      allOf(subjects).map((subject) => `${namespace}/Deployment/${subject.replace(/^.*\//, '')}`),
    );
  return { shown: named('shown'), hidden: named('hidden'), absent: named('absent') };
}

export function requestValues(values: AskedValues) {
  const { addresses, subjects, namespaces, nodes, keys, cursors, at, since, until } = values;
  const [during = since] = at;
  const rows = allOf(addresses)
    .map((ip) => `${ip},${new Date(during).toISOString()}\n`)
    .join('');
  return {
    named: {
      ...{ ip: addresses, subject: subjects, namespace: namespaces, node: nodes, fromNode: nodes, toNode: nodes },
      workload: workloadsOf(namespaces, subjects),
      ...{ key: keys, cursor: cursors, text: joined(subjects, addresses, nodes, namespaces) },
    },
    plain: {
      at: at.map(String),
      since: [String(since)],
      until: [String(until)],
      // One that all pods here ended by, and one that none did.
      cause: ['DeletedOnRequest', 'Preempted'],
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
      cluster: ['other'],
    },
    bodies: {
      'POST /api/v1/who': [
        {
          type: 'application/json',
          text: JSON.stringify({ questions: allOf(addresses).map((ip) => ({ ip, at: String(during) })) }),
        },
        { type: 'application/json', text: JSON.stringify({ questions: [{ ip: 'nonsense' }] }) },
      ],
      'POST /api/v1/attribute': [
        { type: 'text/csv', text: `src,start\n${rows}`, query: 'ip=src&time=start' },
        { type: 'text/csv', text: `src,start\n${rows}`, query: 'ip=src&time=start&traffic=true&output=jsonl' },
        { type: 'text/csv', text: 'src,start\nx', query: 'ip=dst&time=start' },
        { type: 'text/csv', text: `src,start\n${rows}`, query: 'ip=src&time=start&cluster=other' },
      ],
    },
    ofBodies: {
      'POST /api/v1/attribute': ['format', 'end', 'prefix', 'columns', 'timezone', 'headers'],
    },
  } satisfies RequestValues;
}

/** Calls of each tool that aim at what is hidden. */
export function toolCalls(values: AskedValues): Readonly<Record<string, readonly object[]>> {
  const [addresses, subjects, nodes] = [values.addresses, values.subjects, values.nodes].map(allOf) as [
    readonly string[],
    readonly string[],
    readonly string[],
  ];
  const { at, since, until } = values;
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
