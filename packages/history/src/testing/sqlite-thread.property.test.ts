import { join } from 'node:path';
import { SqliteEngine } from '../engines/sqlite/sqlite-engine.ts';
import { samenessProperties } from './properties/replay-properties.ts';
import { scratchDirectory } from './scratch-directory.ts';
import { FOREVER } from './sqlite-subject.ts';

const directory = scratchDirectory('thread');
let stores = 0;

samenessProperties({
  name: 'the SQLite engine with its thread',
  open: () => SqliteEngine.open({ path: join(directory, `${++stores}.db`), access: 'write', sealAt: 1 }),
  runsInOneStore: 100,
  settle: (engine) => engine.maintain(FOREVER),
});
