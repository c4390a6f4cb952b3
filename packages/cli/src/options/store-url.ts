// Which store a command uses.
import { join } from 'node:path';
import type { CommandEnv } from '../command-env.ts';

export function storeUrl(given: string | undefined, { env, home }: Pick<CommandEnv, 'env' | 'home'>): string {
  if (given !== undefined && given !== '') return given;
  const fromEnv = env['PODTRAIL_STORE'];
  if (fromEnv !== undefined && fromEnv !== '') return fromEnv;
  // The XDG rules: a relative path there is invalid and must be ignored.
  const data = env['XDG_DATA_HOME'];
  const base = data?.startsWith('/') ? data : join(home, '.local', 'share');
  return `sqlite:${join(base, 'podtrail', 'ledger.db')}`;
}
