// A flow log that is sent for hours: what changes meanwhile, the time and the rights of its caller, counts for its rows.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerOf } from '@podtrail/history/testing';
import { ALL_VISIBLE, addressOf, type EpochMillis, epochMillis, type Visibility } from '@podtrail/history/wire';
import { ManualClock } from '@podtrail/machinery/testing';
import type { AccessLogEntry } from '../http/access-log.ts';
import { accessOf, startedServer } from '../testing/started-server.ts';
import { coverageFact, NOW, tenantFacts } from '../testing/two-tenants.ts';
import { AskedLedger } from './asked-ledger.ts';
import { type AttributeLog, attributeRoute } from './attribute-route.ts';

const SOON = { timeout: 20_000 };
const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };

/** Each chunk is the instant of a row about an address of shop; the answer follows at once. */
const answerEach: AttributeLog = async ({ input, write, ledger }) => {
  const windows = ledger(({ answer, holders }) => `${answer} ${holders[0]?.name ?? ''}\n`, true);
  for await (const chunk of input) {
    const moment = { ip: addressOf('10.1.0.1'), at: Number(Buffer.from(chunk)) as EpochMillis };
    const [said] = await windows.askEach([moment]);
    await write(said ?? '');
  }
};

/** A log that stays open: rows are sent one by one, each when the one before has been answered. */
async function openLog(t: Parameters<typeof startedServer>[0], visibility: () => Visibility) {
  const clock = new ManualClock(NOW);
  const engine = await ledgerOf(tenantFacts(['shop', 'vault']));
  const recorder = await engine.takeOver({ id: 'c', name: 'c' });
  const entries: AccessLogEntry[] = [];
  const { get } = await startedServer(t, [attributeRoute(new AskedLedger(engine, clock), answerEach)], {
    access: { ...accessOf(), visibility: async () => visibility() },
    log: (entry) => void entries.push(entry),
  });
  const rows = new TransformStream<Uint8Array, Uint8Array>();
  const writer = rows.writable.getWriter();
  const asked = get('/api/v1/attribute', { method: 'POST', body: rows.readable, duplex: 'half' } as RequestInit);
  const row = () => writer.write(Buffer.from(String(clock.now())));
  void row().catch(() => {});
  const reader = (await asked).body!.getReader();
  const answer = async () => Buffer.from((await reader.read()).value ?? []).toString();
  return {
    ...{ first: await answer(), entries },
    nextAfter: async (ms: number) => {
      await clock.advance(ms);
      await recorder.append({ facts: [coverageFact(clock.now())] });
      void row().catch(() => {});
      return await answer();
    },
    end: () => writer.close(),
  };
}

test('a row of a time after the request began is answered as any other', SOON, async (t) => {
  const log = await openLog(t, () => ALL_VISIBLE);
  assert.equal(log.first, 'held shop-stays\n');
  assert.equal(await log.nextAfter(3_600_000), 'held shop-stays\n');
  await log.end();
});

test('a log ends when some of what its caller may see was taken away, and not when there is more', SOON, async (t) => {
  let visibility: Visibility = SHOP;
  const log = await openLog(t, () => visibility);
  assert.equal(log.first, 'held shop-stays\n');
  visibility = ALL_VISIBLE;
  assert.equal(await log.nextAfter(10_000), 'held shop-stays\n');
  visibility = { kind: 'namespaces', since: new Map() };
  await assert.rejects(log.nextAfter(10_000));
  assert.equal(log.entries.at(-1)?.code, 'rights-changed');
});

test('who may see nothing is refused before anything of the log is read', SOON, async (t) => {
  let logs = 0;
  const ledger = new AskedLedger(await ledgerOf(tenantFacts(['shop'])), new ManualClock(NOW));
  const attribute: AttributeLog = async () => void logs++;
  const access = accessOf({ jane: { kind: 'namespaces', since: new Map() } });
  const { get } = await startedServer(t, [attributeRoute(ledger, attribute)], { access });
  const refused = await get('/api/v1/attribute', { method: 'POST', body: 'ip,t\n' });
  assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code, logs], [403, 'forbidden', 0]);
});
