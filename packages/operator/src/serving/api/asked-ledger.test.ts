import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { ManualClock } from '@podtrail/machinery/testing';
import { Problem } from '../problem.ts';
import { AskedLedger } from './asked-ledger.ts';

test('a question about an instant does not wait behind listings, and is bounded by itself', async () => {
  const engine = await ledgerOf(ledgerFacts(new SeededNumbers(7)));
  const ledger = new AskedLedger(engine, new ManualClock(0), { atOnce: 1, mostWaiting: 0 });
  const listing = Promise.withResolvers<string>();
  const point = Promise.withResolvers<string>();
  const listed = ledger.ask(() => listing.promise);
  await assert.rejects(
    ledger.ask(async () => 'another listing'),
    isBusy,
  );
  const asked = ledger.ask(() => point.promise, true);
  await assert.rejects(
    ledger.ask(async () => 'another instant', true),
    isBusy,
  );
  point.resolve('held');
  assert.equal(await asked, 'held');
  assert.equal(await ledger.ask(async () => 'free', true), 'free');
  listing.resolve('stays');
  assert.equal(await listed, 'stays');
});

function isBusy(error: unknown): boolean {
  return error instanceof Problem && error.status === 503 && error.code === 'busy';
}
