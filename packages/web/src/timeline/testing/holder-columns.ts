// Holders as the server sends them: columns, each text once.
import type { TimelineDocument, TimelineHolder } from '../timeline-document.ts';

export function holderColumns(holders: readonly TimelineHolder[]): Pick<TimelineDocument, 'texts' | 'holders'> {
  const numbers = new Map<string, number>();
  const number = (text: string | undefined) => {
    if (text === undefined) return -1;
    if (!numbers.has(text)) numbers.set(text, numbers.size);
    return numbers.get(text) ?? -1;
  };
  const columns = {
    ...{ name: holders.map(({ name }) => name), uid: holders.map(({ uid }) => uid) },
    ...{ kind: holders.map(({ kind }) => number(kind)), namespace: holders.map(({ namespace }) => number(namespace)) },
    node: holders.map(({ node }) => number(node)),
    workloadKind: holders.map(({ workload }) => number(workload?.kind)),
    workload: holders.map(({ workload }) => number(workload?.name)),
    hostNetwork: [],
  };
  return { texts: [...numbers.keys()], holders: columns };
}
