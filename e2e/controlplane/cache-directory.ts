// Where the built programs lie: outside the repository, in a folder named after everything that decides their bytes.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { goMod, KWOK_STAGES, MODULES, MODULES_DIRECTORY, PROGRAMS, type ProgramName } from './programs.ts';

export interface Binaries {
  readonly directory: string;
  path(program: ProgramName): string;
  /** The file that holds a kwok stage folder's documents. */
  stage(name: string): string;
}

export function binariesIn(directory: string): Binaries {
  return {
    directory,
    path: (program) => join(directory, program),
    stage: (name) => join(directory, 'stages', `${name.replace('/', '-')}.yaml`),
  };
}

export function cacheRoot(env: NodeJS.ProcessEnv = process.env): string {
  const xdg = env['XDG_CACHE_HOME'];
  const base = env['PODTRAIL_CACHE'] || (xdg && isAbsolute(xdg) ? xdg : join(homedir(), '.cache'));
  return join(base, 'podtrail', 'controlplane');
}

/** Changes when a version, a module sum, a build setting or the platform does; never with the machine or the time. */
export function cacheKey(platform: string = `${process.platform}-${process.arch}`): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([platform, PROGRAMS, KWOK_STAGES]));
  for (const module of MODULES) {
    hash.update(`\0${module}\0${goMod(module)}\0`);
    hash.update(readFileSync(join(MODULES_DIRECTORY, module, 'go.sum')));
  }
  return hash.digest('hex').slice(0, 16);
}
