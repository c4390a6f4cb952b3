// The sources of this package where any user may read them: a test that goes on as another user cannot load modules from
// a clone below a directory that only its owner may enter.
import { chmodSync, cpSync, mkdtempSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const PACKAGE = fileURLToPath(new URL('../../../../', import.meta.url));
const DEPENDENCIES = ['ipaddr.js'];

/** A temporary directory that any user can reach and read. The caller removes it. */
export function placeForOthers(prefix: string): string {
  const base = [tmpdir(), '/tmp', '/var/tmp'].find(isOpen) ?? tmpdir();
  const place = mkdtempSync(join(base, prefix));
  // mkdtemp makes it for its owner alone.
  chmodSync(place, 0o755);
  return place;
}

/** Copies the sources below `place`; the URL of one of them there. */
export function sourceForOthers(place: string, path: string): string {
  cpSync(join(PACKAGE, 'src'), join(place, 'src'), { recursive: true });
  writeFileSync(join(place, 'package.json'), '{"type":"module"}');
  const { resolve } = createRequire(import.meta.url);
  for (const name of DEPENDENCIES) {
    cpSync(rootOf(resolve(name), name), join(place, 'node_modules', name), { recursive: true });
  }
  return pathToFileURL(join(place, 'src', path)).href;
}

function rootOf(file: string, name: string): string {
  const marker = join('node_modules', name);
  return file.slice(0, file.indexOf(marker) + marker.length);
}

/** Everybody may go through all directories on the way. */
function isOpen(path: string): boolean {
  for (let at = path; ; at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false });
    if (stats === undefined || (stats.mode & 0o001) === 0) return false;
    if (dirname(at) === at) return true;
  }
}
