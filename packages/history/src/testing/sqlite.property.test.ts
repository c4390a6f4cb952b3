import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { SqliteEngine } from '../engines/sqlite/sqlite-engine.ts';
import { ledgerProperties } from './ledger-properties.ts';

const directory = mkdtempSync(join(tmpdir(), 'podtrail-properties-'));
after(() => rmSync(directory, { recursive: true, force: true }));

ledgerProperties({
  name: 'the SQLite engine',
  open: () => SqliteEngine.open({ path: join(directory, 'ledger.db'), access: 'write' }),
});
