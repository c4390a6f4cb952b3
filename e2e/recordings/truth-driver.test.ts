// The driver of `npm run proof -- truth` beside real kubelets: what it writes of a pod must be a sequence that was recorded
// of a real kubelet of 1.36, and its truth must say of addresses what was so between the same words.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiServer, ApiStatusError, VirtualClock } from '@podtrail/sandbox';
import type { HttpAnswer } from '../controlplane/index.ts';
import { AddressPool } from '../proof/address-pool.ts';
import { PodDriver, STORIES, type Story } from '../proof/pod-driver.ts';
import { Chance } from '../proof/random.ts';
import { TruthBook } from '../proof/truth.ts';
import { type AddressEvent, type PodEvent, type WordSequence, wordSequence } from './api-words.ts';
import { compareWords } from './compare-words.ts';
import { RecordedWords } from './recorded-words.ts';

const SEEDS = [1, 2, 3, 4, 5];
const NODE = 'node-1';

const MECHANISM_OF: Readonly<Partial<Record<Story, string>>> = {
  'completes and lingers': 'job',
  'fails and lingers': 'failed-job',
  'is evicted': 'storage-evicted',
  'is deleted gracefully': 'graceful',
  'is deleted by force': 'forced',
  'gets a new sandbox and address': 'sandbox-killed',
  'comes back under its name': 'same-name',
};

const recorded = await RecordedWords.read(import.meta.dirname);

test('every story of the truth driver but that of the host network is a recorded mechanism', () => {
  const other = STORIES.filter((story) => MECHANISM_OF[story] === undefined);
  assert.deepEqual(other, ['shares the host network']);
});

for (const [story, mechanism] of Object.entries(MECHANISM_OF) as [Story, string][]) {
  test(`a pod of the truth driver that ${story}: the words are those of ${mechanism} on a real kubelet`, async () => {
    const known = recorded.of('1.36', mechanism).map(({ words, ...rest }) => ({ ...rest, words: words.map(anyGrace) }));
    for (const seed of SEEDS) {
      for (const said of await play(story, seed)) compareWords(said, known, `seed ${seed}`);
    }
  });
}

/** How much grace is given is nobody's habit. */
function anyGrace(word: string): string {
  return word.replace(/deleting\([1-9]\d*\)/, 'deleting(grace)');
}

async function play(story: Story, seed: number): Promise<WordSequence[]> {
  const clock = new VirtualClock(Date.UTC(2026, 10, 16, 12));
  const api = new ApiServer({ clock, seed });
  api.create('nodes', { apiVersion: 'v1', kind: 'Node', metadata: { name: NODE } });
  const events = new Map<string, PodEvent[]>();
  api.watch('pods', (type, object) => {
    const uid = object.metadata.uid ?? '';
    const ofPod = events.get(uid) ?? [];
    ofPod.push({ at: clock.now(), type, object });
    events.set(uid, ofPod);
  });
  const chance = new Chance(seed);
  const truth = new TruthBook();
  const driver = new PodDriver({
    request: async (path, request) => answer(api, path, request.method ?? 'GET', request.body),
    namespace: 'default',
    node: NODE,
    nodeIp: '192.168.7.1',
    pool: new AddressPool(8, chance),
    truth,
    chance,
    lifeSeconds: { least: 1, most: 6 },
    coalesced: 0,
    clock: { now: () => clock.now(), sleep: async (ms) => clock.advanceBy(Math.ceil(ms)) },
  });
  assert.equal(await driver.live(story), true);
  return [...events].map(([uid, ofPod]) => {
    const ofFirstFamily = truth.tenures.filter((tenure) => tenure.uid === uid && tenure.ip.includes('.'));
    const addresses = ofFirstFamily.flatMap(({ ip, start, end }): AddressEvent[] => [
      { at: start.earliest, what: 'reserved', ip },
      { at: end?.latest ?? Number.POSITIVE_INFINITY, what: 'released', ip },
    ]);
    const { words, marks } = wordSequence(ofPod, addresses, 0);
    return { words: words.map(anyGrace), marks };
  });
}

/** The few requests that the driver makes, without HTTP. */
function answer(api: ApiServer, path: string, method: string, body: unknown): HttpAnswer {
  const [, , , , namespace = '', , name = '', subresource] = path.split('/');
  const run = (): unknown => {
    if (method === 'PATCH') return api.mergePatch('pods', namespace, name, body, 'status');
    if (subresource === 'binding') return api.bind(namespace, name, NODE);
    if (method === 'POST') return api.create('pods', body);
    if (method === 'GET') return api.get('pods', namespace, name);
    const { gracePeriodSeconds, preconditions } = body as {
      readonly gracePeriodSeconds: number;
      readonly preconditions: { readonly uid: string };
    };
    return api.delete('pods', namespace, name, { gracePeriodSeconds, uid: preconditions.uid });
  };
  try {
    const made = run();
    return { status: method === 'POST' ? 201 : 200, headers: {}, body: '', json: () => made };
  } catch (error) {
    if (!(error instanceof ApiStatusError)) throw error;
    return { status: error.code, headers: {}, body: error.message, json: () => ({ message: error.message }) };
  }
}
