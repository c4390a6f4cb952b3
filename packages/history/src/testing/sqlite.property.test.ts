import { join } from 'node:path';
import { SqliteEngine } from '../engines/sqlite/sqlite-engine.ts';
import { ledgerProperties, type PropertySubject, sameAsMemory } from './ledger-properties.ts';
import { scratchDirectory } from './scratch-directory.ts';

const directory = scratchDirectory('properties');
let stores = 0;

const sqlite: PropertySubject = {
  name: 'the SQLite engine',
  open: () => SqliteEngine.open({ path: join(directory, `${++stores}.db`), access: 'write' }),
};

sameAsMemory(sqlite);
// Minutes instead of seconds, and nothing that the comparison would not find.
if (process.env['PODTRAIL_ALL_PROPERTIES'] !== undefined) ledgerProperties(sqlite);
