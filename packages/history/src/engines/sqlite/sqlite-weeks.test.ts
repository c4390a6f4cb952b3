// A file of its own beside sqlite-engine.test.ts: on a busy machine the contract takes minutes.
import { join } from 'node:path';
import type { EpochMillis } from '../../model/time.ts';
import { scratchDirectory } from '../../testing/scratch-directory.ts';
import { engineContract } from '../testing/contract/engine-contract.ts';
import { SqliteEngine } from './sqlite-engine.ts';

const directory = scratchDirectory('sqlite-weeks');
let stores = 0;
const open = () => SqliteEngine.open({ path: join(directory, `${++stores}.db`), access: 'write', sealAt: 1 });
const openReader = () => SqliteEngine.open({ path: join(directory, `${stores}.db`), access: 'read' });

engineContract({
  name: 'SQLite, all that is closed in week files',
  open,
  openReader,
  settle: (engine) => engine.maintain(8_640_000_000_000_000 as EpochMillis),
});
