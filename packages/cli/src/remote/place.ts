// Where a command asks: the first of --store, --server, --context or --kubeconfig, PODTRAIL_STORE, a default ledger that
// is there, the Kubernetes API of the current context. A flag goes before everything that was not said in this command.
import type { ClusterConfig } from '@podtrail/machinery';
import type { CommandEnv } from '../command-env.ts';
import { UsageError } from '../errors.ts';
import { defaultStoreUrl, storeUrl } from '../options/store-url.ts';

export interface PlaceOptions {
  readonly store?: string | undefined;
  readonly server?: string | undefined;
  readonly context?: string | undefined;
  readonly kubeconfig?: string | undefined;
}

export type Place =
  | { readonly kind: 'store'; readonly url: string; readonly by: '--store' | 'PODTRAIL_STORE' | 'default' }
  | { readonly kind: 'server'; readonly url: string }
  | { readonly kind: 'cluster'; readonly config: ClusterConfig; readonly by: 'flag' | 'current' }
  /** No ledger, and no cluster that is known of. */
  | { readonly kind: 'nowhere'; readonly url: string; readonly cause: unknown };

export type PlaceEnv = Pick<CommandEnv, 'env' | 'home' | 'mustBeReadable' | 'loadConfig'>;

export async function placeOf(options: PlaceOptions, placeEnv: PlaceEnv): Promise<Place> {
  const { store, server, context, kubeconfig } = options;
  const isStore = store !== undefined && store !== '';
  if (isStore && server !== undefined) {
    throw new UsageError('--store and --server are two places to ask', 'give one of them.');
  }
  if (isStore) return { kind: 'store', url: store, by: '--store' };
  if (server !== undefined) return { kind: 'server', url: server };
  // A ledger of this machine may be of another cluster than the one that was named.
  if (context !== undefined || kubeconfig !== undefined) {
    return { kind: 'cluster', config: await placeEnv.loadConfig({ context, kubeconfig }), by: 'flag' };
  }
  const url = storeUrl(undefined, placeEnv);
  if (url !== defaultStoreUrl(placeEnv)) return { kind: 'store', url, by: 'PODTRAIL_STORE' };
  if (await isThere(url, placeEnv)) return { kind: 'store', url, by: 'default' };
  try {
    return { kind: 'cluster', config: await placeEnv.loadConfig({}), by: 'current' };
  } catch (cause) {
    return { kind: 'nowhere', url, cause };
  }
}

/** One that may not be read is there, and its own error says so. */
async function isThere(url: string, { mustBeReadable }: PlaceEnv): Promise<boolean> {
  try {
    await mustBeReadable(url.replace(/^sqlite:/, ''));
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code !== 'ENOENT' && code !== 'ENOTDIR';
  }
}
