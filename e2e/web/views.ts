// The views of the page, each with a question of the demo that fills it. Used by tests that go through all of them.
import type { Served } from './served-ledger.ts';

export interface ViewOfDemo {
  readonly name: string;
  /** Path and query. */
  readonly path: string;
}

/** Names, addresses and times come from what the demo printed. */
export function viewsOf(demo: Pick<Served, 'printed'>): readonly ViewOfDemo[] {
  const [, ip = '', at = ''] = /who (\S+) --at (\S+)/.exec(demo.printed) ?? [];
  const [, pod = '', namespace = ''] = /trail (\S+) -n (\S+)/.exec(demo.printed) ?? [];
  const query = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();
  return [
    { name: 'ask', path: '/' },
    { name: 'ask, answered', path: `/?${query({ ip, at })}` },
    { name: 'trail', path: '/trail' },
    { name: 'trail of a pod', path: `/trail?${query({ subject: pod, namespace })}` },
    { name: 'nodes', path: '/nodes' },
    { name: 'feed', path: '/feed' },
    { name: 'health', path: '/health' },
  ];
}
