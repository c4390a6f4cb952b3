import assert from 'node:assert/strict';
import { test } from 'node:test';
import { namedIn, scrapeConfig } from './metrics-peer.ts';

const answer = (...uids: string[]) => ({
  status: 'success',
  data: { result: uids.map((uid) => ({ metric: { __name__: 'kube_pod_info', uid } })) },
});

test('no series is nobody, one is the holder, several are candidates, and the same pod twice is one', () => {
  assert.deepEqual(namedIn(answer()), { answer: 'free', uids: [] });
  assert.deepEqual(namedIn(answer('a')), { answer: 'held', uids: ['a'] });
  assert.deepEqual(namedIn(answer('a', 'a')), { answer: 'held', uids: ['a'] });
  assert.deepEqual(namedIn(answer('a', 'b')), { answer: 'ambiguous', uids: ['a', 'b'] });
});

test('a query that failed is an error, and not nobody', () => {
  assert.throws(() => namedIn({ status: 'error', error: 'bad_data' }), /Prometheus did not answer: bad_data/);
});

test('one job for each interval scrapes the same target', () => {
  const { scrape_configs: jobs } = JSON.parse(scrapeConfig(8080));
  const found = jobs.map(({ job_name, scrape_interval, static_configs }: Record<string, unknown>) => [
    ...[job_name, scrape_interval],
    JSON.stringify(static_configs),
  ]);
  const target = '[{"targets":["127.0.0.1:8080"]}]';
  assert.deepEqual(found, [
    ['every-15s', '15s', target],
    ['every-30s', '30s', target],
  ]);
});
