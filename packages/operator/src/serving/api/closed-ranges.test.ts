// Beside a running recorder: what was asked about a time that has ended keeps its bytes and its ETag; what goes on does not.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerOf } from '@podtrail/history/testing';
import { QUESTIONS, type QuestionName } from '@podtrail/history/wire/catalogue';
import { ManualClock } from '@podtrail/machinery/testing';
import { startedServer } from '../testing/started-server.ts';
import { coverageFact, NOW, SINCE, tenantFacts, UNTIL } from '../testing/two-tenants.ts';
import { AskedLedger } from './asked-ledger.ts';
import { questionRoutes } from './question-routes.ts';

const span = `since=${SINCE}&until=${UNTIL}`;
const ASKED: { readonly [Name in QuestionName]: readonly string[] } = {
  who: [`ip=10.1.0.1&at=${UNTIL}`, `ip=10.1.0.2&at=${UNTIL}`, `ip=10.9.0.9&at=${UNTIL}`],
  trail: [`subject=shop-stays&namespace=shop&${span}`, `subject=10.1.0.2&until=${UNTIL}`],
  node: [`node=node-1&at=${UNTIL}`, `node=node-1&${span}`],
  moves: [span],
  explain: [`subject=shop-goes&namespace=shop&at=${UNTIL}`],
  changes: [`subject=shop-stays&namespace=shop&${span}`],
  gaps: [span],
  anomalies: [span],
  nodes: [`at=${UNTIL}`, `at=${UNTIL}&against=${SINCE}`],
  // A search is of now.
  find: [],
  timeline: [`by=node&${span}`, `by=ip&${span}&most=1`],
};

test('a closed range has the same ETag two seconds later, and 304, while the recorder goes on', async (t) => {
  const clock = new ManualClock(NOW);
  const engine = await ledgerOf(tenantFacts(['shop', 'vault']));
  const recorder = await engine.takeOver({ id: 'c', name: 'c' });
  const { get } = await startedServer(t, questionRoutes(new AskedLedger(engine, clock)));
  for (const name of Object.keys(QUESTIONS) as QuestionName[]) {
    for (const asked of ASKED[name]) {
      const path = `/api/v1/${name}?${asked}`;
      const first = await get(path);
      const etag = first.headers.get('etag') ?? '';
      assert.match(etag, /^"/, path);
      await clock.advance(2_000);
      await recorder.append({ facts: [coverageFact(clock.now())] });
      const again = await get(path);
      assert.equal(await again.text(), await first.text(), path);
      assert.equal(again.headers.get('etag'), etag, path);
      assert.equal((await get(path, { headers: { 'if-none-match': etag } })).status, 304, path);
    }
  }
});

test('what goes on says how far the cluster is watched, and has no ETag', async (t) => {
  const clock = new ManualClock(NOW);
  const { get } = await startedServer(t, questionRoutes(new AskedLedger(await ledgerOf(tenantFacts(['shop'])), clock)));
  for (const path of ['/api/v1/who?ip=10.1.0.1', '/api/v1/trail?subject=10.1.0.1', '/api/v1/gaps']) {
    const answer = await get(path);
    assert.equal(answer.headers.get('etag'), null, path);
    const { coverage } = (await answer.json()) as { readonly coverage: { readonly to: string } };
    assert.equal(coverage.to, new Date(NOW).toISOString(), path);
  }
});

test('when nobody watches any more, a closed range says until when somebody did', async (t) => {
  const clock = new ManualClock(NOW + 60_000);
  const { get } = await startedServer(t, questionRoutes(new AskedLedger(await ledgerOf(tenantFacts(['shop'])), clock)));
  const answer = await get(`/api/v1/trail?subject=10.1.0.1&until=${UNTIL}`);
  const { coverage } = (await answer.json()) as { readonly coverage: { readonly to: string } };
  assert.equal(coverage.to, new Date(NOW).toISOString());
});
