import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { openStore } from '../open-store.ts';
import { writeGoldenStore } from './testing/golden-store.ts';

const directory = mkdtempSync(join(tmpdir(), 'podtrail-private-'));
after(() => rmSync(directory, { recursive: true, force: true }));

test('nobody but its owner may read any file of a store or of its backup', {
  skip: process.platform === 'win32',
}, async () => {
  const path = join(directory, 'ledger.db');
  await writeGoldenStore(path);
  const engine = await openStore(`sqlite:${path}`, { access: 'write' });
  await engine.backup(join(directory, 'copy.db'));
  const files = readdirSync(directory, { recursive: true, withFileTypes: true });
  assert.ok(files.some(({ name }) => name.endsWith('-wal')) && files.some(({ name }) => name.endsWith('.lock')));
  assert.ok(files.filter((file) => file.parentPath !== directory).length >= 2, 'week files of both');
  for (const { parentPath, name } of files) {
    assert.equal(statSync(join(parentPath, name)).mode & 0o077, 0, join(parentPath, name));
  }
  await engine.close();
});
