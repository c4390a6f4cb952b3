// Who may patch one pod decides how much there is to record: what a recorder does about it, from the API server to the disk.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { openStore, type RoomKept } from '@podtrail/history';
import { FaultStage } from '../testing/fault-stage.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

const MIB = 1024 * 1024;

test('a tenant who patches one pod in a loop fills no disk, and the pods of others are recorded as ever', async (t) => {
  const directory = mkdtempSync(join(tmpdir(), 'podtrail-flood-'));
  const path = join(directory, 'ledger.db');
  const engine = await openStore(`sqlite:${path}`, { access: 'write' });
  const stage = await FaultStage.start(t);
  stage.pod('hostile', { ip: '10.0.0.1' });
  const rooms: RoomKept[] = [];
  const listener = { roomKept: (kept: RoomKept) => void rooms.push(kept) };
  const storeLimit = { kind: 'bytes', bytes: 1e9 } as const;
  const recorded = await RecordedSandbox.start(stage, { engine, listener, storeLimit });
  const patches = 100;
  for (let patch = 0; patch < patches; patch++) {
    const value = `${patch} `.padEnd(4096, 'x');
    stage.annotate('hostile', Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`example.com/a${i}`, value])));
    await stage.clock.advance(50);
  }
  stage.pod('innocent', { ip: '10.0.0.2', annotations: { note: 'kept' } });
  await recorded.current();
  const changes = await recorded.changes();
  const summary = changes.find(({ suppressed }) => suppressed !== undefined);
  const hostile = changes.filter(({ pod }) => pod.name === 'hostile');
  assert.ok((summary?.suppressed?.changes ?? 0) > 0);
  assert.equal(
    hostile.length - 1 + (summary?.suppressed?.changes ?? 0),
    patches * 60,
    'every change is recorded or counted',
  );
  assert.equal(recorded.recorder.status.suppressedChanges, summary?.suppressed?.changes);
  assert.deepEqual(
    changes.filter(({ pod }) => pod.name === 'innocent').map(({ after }) => after?.text),
    ['kept'],
  );
  assert.equal(await recorded.says('10.0.0.2'), 'held innocent');
  await stage.until('room was looked at', () => rooms.length > 0);
  assert.equal(rooms[0]?.limitBytes, 1e9);
  await recorded.stop();
  await engine.close();
  const { size } = statSync(path);
  t.diagnostic(`${patches} patches of 60 annotations of 4 KiB: ${(size / MIB).toFixed(1)} MiB`);
  assert.ok(size < 4 * MIB, `the store has ${size} bytes`);
  rmSync(directory, { recursive: true });
});
