import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import type { EpochMillis } from '../../model/time.ts';
import { engineContract } from '../testing/contract/engine-contract.ts';
import { SqliteEngine } from './sqlite-engine.ts';

const directory = mkdtempSync(join(tmpdir(), 'podtrail-sqlite-'));
after(() => rmSync(directory, { recursive: true, force: true }));
let stores = 0;
const open = () => SqliteEngine.open({ path: join(directory, `${++stores}.db`), access: 'write', sealAt: 1 });
const openReader = () => SqliteEngine.open({ path: join(directory, `${stores}.db`), access: 'read' });

engineContract({ name: 'SQLite, all in the head', open, openReader });
engineContract({
  name: 'SQLite, all that is closed in week files',
  open,
  openReader,
  settle: (engine) => engine.maintain(8_640_000_000_000_000 as EpochMillis),
});
