import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ALL_VISIBLE, epochMillis, type Visibility } from '@podtrail/history/wire';
import type { PodTracker } from '../../crds/podtracker.ts';
import { accessOf, startedServer } from '../testing/started-server.ts';
import { trackersRoute } from './trackers-route.ts';

const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };
const NONE: Visibility = { kind: 'namespaces', since: new Map() };

function aTracker(name: string, spec: PodTracker['spec'], pods?: number): PodTracker {
  const condition = { type: 'Ready', status: 'True' as const, reason: 'Listed', message: 'of vault, too' };
  return {
    metadata: { name, generation: 2 },
    spec,
    ...(pods === undefined
      ? {}
      : {
          status: {
            ...{ observedGeneration: 2, counts: { pods, nodes: 1, slices: 0 } },
            conditions: [{ ...condition, lastTransitionTime: '2026-11-16T10:00:00Z' }],
          },
        }),
  } as PodTracker;
}

const TRACKERS = [
  aTracker('shop', { namespaces: ['shop'], namePrefix: 'web-' }, 3),
  aTracker('all', {}, 9),
  aTracker('both', { namespaces: ['shop', 'vault'] }, 5),
  aTracker('labels', { namespaceSelector: { matchLabels: { a: 'b' } } } as PodTracker['spec']),
];

async function served(t: TestContext, trackers: () => readonly PodTracker[] | undefined = () => TRACKERS) {
  const access = accessOf({ jane: ALL_VISIBLE, shop: SHOP, none: NONE });
  return await startedServer(t, [trackersRoute(trackers)], { access });
}

interface Listed {
  readonly trackers: readonly { readonly name: string; readonly conditions: readonly { message?: string }[] }[];
  readonly cursor: string | null;
  readonly narrowed?: boolean;
}

test('trackers are listed by name, with what they select, their counts and conditions', async (t) => {
  const { get } = await served(t);
  const { trackers, narrowed } = (await (await get('/api/v1/trackers')).json()) as Listed;
  assert.deepEqual(
    trackers.map(({ name }) => name),
    ['all', 'both', 'labels', 'shop'],
  );
  assert.equal(narrowed, undefined);
  assert.deepEqual(trackers[3], {
    ...{ name: 'shop', namespaces: ['shop'], counts: { pods: 3, nodes: 1, slices: 0 }, isCurrent: true },
    selects: { byNamespaceLabels: false, byPodLabels: false, namePrefix: 'web-' },
    conditions: [
      {
        ...{ type: 'Ready', status: 'True', reason: 'Listed', message: 'of vault, too' },
        lastTransitionTime: '2026-11-16T10:00:00Z',
      },
    ],
  });
  assert.deepEqual((trackers[2] as unknown as { counts: null }).counts, null);
});

test('who sees some namespaces sees the trackers of those alone, without sentences about others; the document says so', async (t) => {
  const { get } = await served(t);
  const { trackers, narrowed } = (await (await get('/api/v1/trackers', { as: 'shop' })).json()) as Listed;
  assert.deepEqual(
    trackers.map(({ name, conditions }) => [name, conditions[0]?.message]),
    [['shop', undefined]],
  );
  assert.equal(narrowed, true);
  assert.deepEqual(await (await get('/api/v1/trackers', { as: 'none' })).json(), {
    ...{ trackers: [], more: false, cursor: null, narrowed: true },
  });
});

test('pages follow each other by the cursor, whatever their size', async (t) => {
  const { get } = await served(t);
  const names: string[] = [];
  let query = 'limit=1';
  for (;;) {
    const { trackers, cursor } = (await (await get(`/api/v1/trackers?${query}`)).json()) as Listed;
    names.push(...trackers.map(({ name }) => name));
    if (cursor === null) break;
    query = `limit=1&cursor=${cursor}`;
  }
  assert.deepEqual(names, ['all', 'both', 'labels', 'shop']);
});

test('what cannot be meant is 400 with the limit; trackers that are not known yet are 503', async (t) => {
  const { get } = await served(t);
  for (const query of ['limit=0', 'limit=1001', 'limit=x', 'cursor=%00', 'colour=red']) {
    assert.equal((await get(`/api/v1/trackers?${query}`)).status, 400, query);
  }
  const { detail } = (await (await get('/api/v1/trackers?limit=1001')).json()) as { readonly detail: string };
  assert.equal(detail, 'limit: is at most 1000');
  const unknown = await served(t, () => undefined);
  assert.equal((await unknown.get('/api/v1/trackers')).status, 503);
});
