import assert from 'node:assert/strict';
import { test } from 'node:test';
import { IPS, ledgerFacts, ledgerOf, SeededNumbers } from '@podtrail/history/testing';
import { ALL_VISIBLE, epochMillis, type Point, type Visibility } from '@podtrail/history/wire';
import { askQuestion, checkedParameters, QUESTIONS, type Question } from '@podtrail/history/wire/catalogue';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger, type AskedReader } from './asked-ledger.ts';
import { plainWho, whoText } from './who-text.ts';

const NOW = epochMillis(Date.UTC(2026, 10, 15));
const WHO = QUESTIONS.who as unknown as Question;
const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };

/** A ledger whose engine answers points with what it was asked. */
async function answering(asked: Point[], answer: (point: Point) => string | undefined): Promise<AskedLedger> {
  const engine = await ledgerOf(ledgerFacts(new SeededNumbers(7)));
  const reader: AskedReader = {
    clusters: () => engine.clusters(),
    snapshot: (cluster) => engine.snapshot(cluster),
    answerPoints: async (_, points) => {
      asked.push(...points);
      const texts = points.map(answer);
      if (texts.includes(undefined)) throw new Error('not now');
      return { texts: texts as string[], open: [] };
    },
  };
  return new AskedLedger(reader, new ManualClock(NOW));
}

test('who sees everything is answered by the engine, with the instant and the clock of the asker', async () => {
  const asked: Point[] = [];
  const ledger = await answering(asked, () => '{"of":"engine"}');
  const asker = { visibility: ALL_VISIBLE, now: NOW };
  assert.equal(await whoText(ledger, asker, { ip: '10.0.0.1', at: '3600000000' }), '{"of":"engine"}');
  assert.equal(await whoText(ledger, asker, { ip: '::ffff:10.0.0.1', seen: true }), '{"of":"engine"}');
  assert.deepEqual(asked, [
    { ip: '10.0.0.1', at: 3_600_000_000_000, now: NOW, seen: false },
    { ip: '10.0.0.1', at: NOW, now: NOW, seen: true },
  ]);
});

test('who sees some namespaces only is never answered by the engine', async () => {
  const asked: Point[] = [];
  const ledger = await answering(asked, () => '{"of":"engine"}');
  const text = await whoText(ledger, { visibility: SHOP, now: NOW }, { ip: '10.0.0.1' });
  assert.equal(JSON.parse(text).narrowed, true);
  assert.deepEqual(asked, []);
});

test('what the engine does not answer is answered on a snapshot', async () => {
  const asked: Point[] = [];
  const ledger = await answering(asked, () => undefined);
  const asker = { visibility: ALL_VISIBLE, now: NOW };
  const parameters = { ip: '10.0.0.1', at: '100000000' };
  const expected = JSON.stringify(await askQuestion(ledger.reader, asker, 'who', parameters));
  assert.equal(await whoText(ledger, asker, parameters), expected);
  assert.equal(asked.length, 1);
});

test('what is wrong with the parameters is said as on a snapshot', async () => {
  const ledger = await answering([], () => '{}');
  const asker = { visibility: ALL_VISIBLE, now: NOW };
  for (const wrong of [{}, { ip: '10.0.0' }, { ip: '10.0.0.1', at: 'noon' }, { ip: '10.0.0.1', on: '1' }]) {
    const expected = await askQuestion(ledger.reader, asker, 'who', wrong).catch((error) => error);
    await assert.rejects(whoText(ledger, asker, wrong), { code: expected.code, message: expected.message });
  }
});

test('usual parameters are what the schema makes of them, and it is asked about all others', () => {
  const ips = ['10.0.0.1', 'fd00::1', '', 'x'.repeat(65), ' 10.0.0.1', undefined, 7];
  const ats = ['2026-11-15T10:05:00Z', '2026-02-29T00:00:00Z', '1763200000', '7', '', undefined, 7, 'x'.repeat(65)];
  const clusters = ['prod', '', 'x'.repeat(600), undefined];
  let plain = 0;
  for (const ip of ips) {
    for (const at of ats) {
      for (const cluster of clusters) {
        for (const more of [{}, { seen: true }, { other: '1' }, JSON.parse('{"__proto__":"1"}')]) {
          const all = { ip, at, cluster };
          const given = Object.entries(all).filter(([, value]) => value !== undefined);
          const asked = { ...Object.fromEntries(given), ...more };
          const found = plainWho(asked);
          if (found === undefined) continue;
          plain++;
          assert.deepEqual(found, checkedParameters(WHO, asked), JSON.stringify(asked));
        }
      }
    }
  }
  assert.ok(plain >= 12, `${plain}`);
  assert.ok(IPS.every((ip) => plainWho({ ip, at: '2026-11-15T10:05:00Z' }) !== undefined));
});
