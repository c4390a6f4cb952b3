// A day of a ledger from a seed, for tests that compare two ways of asking: pods that overlap and touch with wide and
// narrow bounds, nodes with pods of their network, a service, gaps, a recorder of one namespace, and an open end.
import type { Engine } from '../engines/engine.ts';
import { openStore } from '../engines/open-store.ts';
import type { Boundary } from '../model/boundary.ts';
import type { StoredFact } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Coverage, Holder } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import type { SeededNumbers } from './seeded-numbers.ts';

export const CLUSTER = { id: 'c', name: 'c' };
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

export function boundary(notBefore: number, at: number, notAfter: number, version: number): Boundary {
  const provenance = { source: 'watch' as const, epoch: 1, resourceVersion: String(version), collector: 'c' };
  const times = { at: epochMillis(at), notBefore: epochMillis(notBefore), notAfter: epochMillis(notAfter) };
  return { ...provenance, ...times, observedAt: epochMillis(notAfter) };
}

export function holder(kind: Holder['kind'], name: string, more: Partial<Holder> = {}): Holder {
  const namespace = kind === 'Node' ? '' : 'shop';
  return { kind, namespace, name, uid: `uid-${name}`, node: '', workload: undefined, hostNetwork: false, ...more };
}

export function coverage(from: number, to: number, more: Partial<Coverage> = {}): StoredFact {
  const times = { from: epochMillis(from), to: epochMillis(to), confirmed: epochMillis(to) };
  const rest = { scope: { kind: 'cluster' }, epoch: 1, collector: 'c', ended: true, opened: 'expired' } as const;
  return { kind: 'coverage', coverage: { ...rest, ...times, ...more } };
}

const WATCHED: readonly StoredFact[] = [
  coverage(0, 5 * HOUR, { opened: 'start', confirmed: epochMillis(5 * HOUR - 30 * MINUTE) }),
  coverage(6 * HOUR, 9 * HOUR, { scope: { kind: 'namespaces', namespaces: ['shop'] } }),
  // Pods that were starting before the gap had perhaps not shown their addresses yet.
  coverage(9 * HOUR, 15 * HOUR, { confirmed: epochMillis(14 * HOUR) }),
  coverage(15 * HOUR + 1, DAY, { confirmed: epochMillis(DAY - HOUR), ended: false }),
];

export const IPS = [
  ...Array.from({ length: 20 }, (_, i) => `10.0.0.${i}`),
  ...Array.from({ length: 6 }, (_, i) => `fd00::${i + 1}`),
  '255.255.255.254',
  '192.168.0.1',
  '192.168.0.2',
] as IpAddress[];

export async function aLedger(numbers: SeededNumbers): Promise<Engine> {
  return await ledgerOf(ledgerFacts(numbers));
}

export async function ledgerOf(facts: readonly StoredFact[]): Promise<Engine> {
  const engine = await openStore('memory:', { access: 'write' });
  await (await engine.takeOver(CLUSTER)).append({ facts });
  return engine;
}

/**
 * Pods that overlap and touch, with wide and narrow bounds; two nodes with agents that come and go; a service. Names that
 * differ are spread over the namespaces.
 */
export function ledgerFacts(numbers: SeededNumbers, namespaces: readonly string[] = ['shop']): StoredFact[] {
  const facts: StoredFact[] = [...WATCHED];
  const inNamespace = (i: number) => ({ namespace: namespaces[i % namespaces.length] as string });
  const stretch = (longest: number, i: number) => {
    const start = below(numbers, DAY) - HOUR;
    const end = start + below(numbers, longest);
    const slack = () => below(numbers, below(numbers, 3) === 0 ? 1 : 10 * MINUTE);
    const isOpen = below(numbers, 10) === 0;
    return {
      start: boundary(start - slack(), start, start + slack(), 2 * i),
      end: isOpen ? undefined : boundary(end - slack(), end, end + slack(), 2 * i + 1),
    };
  };
  for (let i = 0; i < 300; i++) {
    const ip = IPS[below(numbers, 27)] as IpAddress;
    const n = below(numbers, 280);
    const pod = holder('Pod', `pod-${n}`, { node: 'node-a', ...inNamespace(n) });
    facts.push({ kind: 'tenure', tenure: { ip, holder: pod, ...stretch(2 * HOUR, i) } });
  }
  for (const [i, name] of ['node-a', 'node-b'].entries()) {
    const ip = IPS[27 + i] as IpAddress;
    for (let life = 0; life < 3; life++) {
      const node = holder('Node', name, { node: name, uid: `uid-${name}-${life}` });
      facts.push({ kind: 'tenure', tenure: { ip, holder: node, ...stretch(20 * HOUR, 1000 + i * 10 + life) } });
    }
    for (let n = 0; n < 40; n++) {
      const pod = holder('Pod', `agent-${i}-${n}`, { node: name, hostNetwork: n % 3 > 0, ...inNamespace(n) });
      facts.push({ kind: 'placement', placement: { pod, ...stretch(3 * HOUR, 2000 + i * 100 + n) } });
    }
  }
  const service = { ip: '10.0.0.3' as IpAddress, holder: holder('Service', 'cart'), ...stretch(DAY, 3000) };
  facts.push({ kind: 'tenure', tenure: service });
  return facts;
}

export function below(numbers: SeededNumbers, limit: number): number {
  return numbers.between(0, limit - 1);
}
