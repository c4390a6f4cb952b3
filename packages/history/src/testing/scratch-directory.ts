// Where tests keep stores that need no disk: in memory where there is such a folder, because a transaction then costs
// no wait. Removed when the test file is done.
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';

const SHARED_MEMORY = '/dev/shm';

export function scratchDirectory(name: string): string {
  const parent = existsSync(SHARED_MEMORY) ? SHARED_MEMORY : tmpdir();
  const directory = mkdtempSync(join(parent, `podtrail-${name}-`));
  after(() => rmSync(directory, { recursive: true, force: true }));
  return directory;
}
