// Which store a command uses.
import { join } from 'node:path';
import type { CommandEnv } from '../command-env.ts';

type StoreEnv = Pick<CommandEnv, 'env' | 'home'>;

export function storeUrl(given: string | undefined, storeEnv: StoreEnv): string {
  if (given !== undefined && given !== '') return given;
  const fromEnv = storeEnv.env['PODTRAIL_STORE'];
  return fromEnv !== undefined && fromEnv !== '' ? fromEnv : defaultStoreUrl(storeEnv);
}

export function defaultStoreUrl({ env, home }: StoreEnv): string {
  // The XDG rules: a relative path there is invalid and must be ignored.
  const data = env['XDG_DATA_HOME'];
  const base = data?.startsWith('/') ? data : join(home, '.local', 'share');
  return `sqlite:${join(base, 'podtrail', 'ledger.db')}`;
}
