// Which store a command uses, and a sentence for those who ask a store that is not there yet.
import { join } from 'node:path';
import type { Engine } from '@podtrail/history';
import { CliError } from '../errors.ts';
import { EXIT } from '../exit-codes.ts';
import type { Surroundings } from '../surroundings.ts';

export function storeUrl(given: string | undefined, { env, home }: Pick<Surroundings, 'env' | 'home'>): string {
  if (given !== undefined && given !== '') return given;
  const fromEnv = env['PODTRAIL_STORE'];
  if (fromEnv !== undefined && fromEnv !== '') return fromEnv;
  // The XDG rules: a relative path there is invalid and must be ignored.
  const data = env['XDG_DATA_HOME'];
  const base = data?.startsWith('/') ? data : join(home, '.local', 'share');
  return `sqlite:${join(base, 'podtrail', 'ledger.db')}`;
}

/** For reading: never makes a store where there is none. */
export async function openExisting(url: string, surroundings: Surroundings): Promise<Engine> {
  const path = /^sqlite:(.+)$/.exec(url)?.[1];
  if (path !== undefined && !surroundings.fileExists(path)) {
    throw new CliError('no-store', `there is no ledger at ${path}`, {
      hint: 'start `podtrail record` on the cluster first, or name another store with --store sqlite:PATH.',
      exitCode: EXIT.none,
    });
  }
  return await surroundings.openStore(url);
}
