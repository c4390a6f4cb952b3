import assert from 'node:assert/strict';
import { test } from 'node:test';
import { aLedgerOfEnds, at, CLUSTER, LOG } from '../testing/audit-lines.ts';
import { run } from '../testing/run-in-process.ts';
import { checkAudit } from './check-audit.ts';

test('doctor says whether causes name people, and when a part of the audit log was lost', async () => {
  const engine = await aLedgerOfEnds();
  const look = async (second: number) => {
    const { result, ...rest } = await checkAudit(engine, CLUSTER.id, CLUSTER.name, at(second));
    return `${result} ${JSON.stringify(rest)}`;
  };
  assert.match(await look(360), /^ok .*no entry within the last hour/);
  await run(['import', '--audit-log', '-'], { engine, input: LOG.join('') });
  assert.match(await look(360), /^ok .*causes name who did it; the last entry is from 60s ago/);
  const lost = { kind: 'Stream', namespace: '', name: 'audit', uid: '' };
  await (await engine.takeOver(CLUSTER)).append({
    facts: [
      {
        kind: 'evidence',
        evidence: {
          ...{
            id: 'lost',
            about: lost,
            what: 'stream-lost',
            at: at(350),
            reason: 'Flooded',
            message: '',
            by: '',
            count: 1,
          },
          ...{ source: 'watch', epoch: 1, resourceVersion: '', observedAt: at(350), collector: 'c' },
        },
      },
    ],
  });
  assert.match(await look(360), /^warning .*a part of it was lost from 2026-11-15T10:05:50/);
});
