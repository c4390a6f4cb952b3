import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type KubeObject, type ResourceClient } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import type { PodTrackerSlice } from '../crds/podtracker-slice.ts';
import { removeBelongings } from './cleanup.ts';
import { aTracker } from './testing/tracker-fixture.ts';

/** Removes what belongs to a tracker with one ConfigMap, where asking for slices fails; returns what was deleted. */
async function clean(refusal: ApiError): Promise<string[]> {
  const deleted: string[] = [];
  const slices = {
    // biome-ignore lint/correctness/useYield: it fails before there is anything to give.
    async *pages() {
      throw refusal;
    },
  } as unknown as ResourceClient<PodTrackerSlice>;
  const configMaps = {
    async *pages() {
      yield { items: [{ metadata: { name: 'mine', uid: 'u', resourceVersion: '1' } }] };
    },
    delete: async (name: string) => void deleted.push(name),
  } as unknown as ResourceClient<KubeObject>;
  const spec = { footprints: { log: false, configMaps: { enabled: true, namespace: 'default', retention: '48h' } } };
  const options = { clock: new ManualClock(), slices, configMaps: () => configMaps };
  await removeBelongings(aTracker('all', spec), options, new AbortController().signal);
  return deleted;
}

test('fault 25: where the definition of slices is gone there are none to remove, and ConfigMaps still are', async () => {
  const gone = new ApiError(404, { message: 'the server could not find the requested resource' }, undefined);
  assert.deepEqual(await clean(gone), ['mine']);
});

test('anything else that the server refuses is told, so that it is tried again', async () => {
  await assert.rejects(clean(new ApiError(403, { message: 'no' }, undefined)), { status: 403 });
});
