// Whoever may see some namespaces only reads in every document that it is narrowed, whatever was asked; what is for who
// sees everything is refused. Made from the catalogue, so that a new question cannot be forgotten.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IPS, ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { ALL_VISIBLE, epochMillis, type Visibility } from '@podtrail/history/wire';
import { QUESTIONS, type QuestionName } from '@podtrail/history/wire/catalogue';
import { ManualClock } from '@podtrail/machinery/testing';
import { accessOf, startedServer } from '../testing/started-server.ts';
import { apiRoutes } from './api-routes.ts';
import { AskedLedger } from './asked-ledger.ts';

const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };
const NONE: Visibility = { kind: 'namespaces', since: new Map() };
const SPAN = 'since=1970-01-01T00:00:00Z&until=1970-01-02T00:00:00Z';
const ASKED: { readonly [Name in QuestionName]: string } = {
  who: `ip=${IPS[0]}&at=1970-01-01T10:00:00Z`,
  trail: `subject=${IPS[0]}&${SPAN}`,
  node: 'node=node-a&at=1970-01-01T10:00:00Z',
  moves: SPAN,
  explain: 'subject=web-1&namespace=shop&at=1970-01-01T10:00:00Z',
  changes: 'subject=deploy/cart&namespace=shop&until=1970-01-02T00:00:00Z',
  gaps: SPAN,
  anomalies: 'until=1970-01-02T00:00:00Z',
  nodes: 'at=1970-01-01T10:00:00Z&against=1970-01-01T12:00:00Z',
  find: 'text=pod-1',
  timeline: `by=workload&${SPAN}`,
};
const FOR_ALL_ONLY = ['anomalies'];

for (const name of Object.keys(QUESTIONS) as QuestionName[]) {
  test(`${name}: a document for who sees some namespaces or none says so; one for who sees all does not`, async (t) => {
    const engine = await ledgerOf(ledgerFacts(new SeededNumbers(7), ['shop', 'vault']));
    const ledger = new AskedLedger(engine, new ManualClock(Date.UTC(1970, 0, 3)));
    const access = accessOf({ jane: ALL_VISIBLE, sam: SHOP, nobody: NONE });
    const { get } = await startedServer(t, apiRoutes({ ledger, version: '0' }), { access });
    const ask = async (as: string) => {
      const answer = await get(`/api/v1/${name}?${ASKED[name]}`, { as });
      return { status: answer.status, document: (await answer.json()) as { narrowed?: boolean; code?: string } };
    };
    const all = await ask('jane');
    assert.deepEqual([all.status, all.document.narrowed], [200, undefined], JSON.stringify(all.document));
    for (const as of ['sam', 'nobody']) {
      const { status, document } = await ask(as);
      const expected = FOR_ALL_ONLY.includes(name) ? [403, undefined, 'forbidden'] : [200, true, undefined];
      assert.deepEqual([status, document.narrowed, document.code], expected, `${as} ${JSON.stringify(document)}`);
    }
  });
}
