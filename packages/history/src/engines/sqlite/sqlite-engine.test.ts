import { join } from 'node:path';
import { scratchDirectory } from '../../testing/scratch-directory.ts';
import { engineContract } from '../testing/contract/engine-contract.ts';
import { SqliteEngine } from './sqlite-engine.ts';

const directory = scratchDirectory('sqlite-head');
let stores = 0;
const open = () => SqliteEngine.open({ path: join(directory, `${++stores}.db`), access: 'write', sealAt: 1 });
const openReader = () => SqliteEngine.open({ path: join(directory, `${stores}.db`), access: 'read' });

engineContract({ name: 'SQLite, all in the head', open, openReader });
