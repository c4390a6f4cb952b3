// The SQLite engine for properties. Stores are opened by the hundred, hence without their thread; in some runs all that
// has ended is in week files.
import { join } from 'node:path';
import { InThreadEngine } from '../engines/sqlite/testing/in-thread-engine.ts';
import type { EpochMillis } from '../model/time.ts';
import type { PropertySubject } from './properties/property-suite.ts';
import { scratchDirectory } from './scratch-directory.ts';

/** Every week is over by then. */
export const FOREVER = 8_640_000_000_000_000 as EpochMillis;

export function sqliteSubject(): PropertySubject {
  const directory = scratchDirectory('properties');
  let stores = 0;
  return {
    name: 'the SQLite engine',
    open: async () => new InThreadEngine({ path: join(directory, `${++stores}.db`), access: 'write', sealAt: 1 }),
    settle: (engine) => engine.maintain(FOREVER),
  };
}
