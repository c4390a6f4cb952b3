import { join } from 'node:path';
import { SqliteEngine } from '../engines/sqlite/sqlite-engine.ts';
import { ledgerProperties } from './ledger-properties.ts';
import { scratchDirectory } from './scratch-directory.ts';

const directory = scratchDirectory('properties');
let stores = 0;

ledgerProperties({
  name: 'the SQLite engine',
  open: () => SqliteEngine.open({ path: join(directory, `${++stores}.db`), access: 'write' }),
});
