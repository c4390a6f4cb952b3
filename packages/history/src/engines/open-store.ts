// From a store's URL to its engine: the one place that knows which engines there are.
import { stat } from 'node:fs/promises';
import { HistoryError } from '../errors.ts';
import type { Engine } from './engine.ts';
import { MemoryEngine } from './memory/memory-engine.ts';
import { directoryStore } from './sqlite/faults.ts';
import { plannedMigration } from './sqlite/migrate.ts';
import { SqliteEngine } from './sqlite/sqlite-engine.ts';
import type { Migration } from './store-admin.ts';

export interface OpenOptions {
  /** `write` creates the store if there is none, migrates it, and keeps other writers out. */
  readonly access: 'read' | 'write';
}

export async function openStore(url: string, { access }: OpenOptions): Promise<Engine> {
  const named = await nameStore(url);
  return named.engine === 'memory' ? new MemoryEngine() : SqliteEngine.open({ path: named.path, access });
}

/** What opening the store for writing and migrating it would do; changes nothing. */
export async function planMigration(url: string): Promise<Migration> {
  const named = await nameStore(url);
  return named.engine === 'memory' ? await new MemoryEngine().migrate() : plannedMigration(named.path);
}

type Named = { readonly engine: 'memory' } | { readonly engine: 'sqlite'; readonly path: string };

/** SQLite would call a directory a broken disk. */
async function nameStore(url: string): Promise<Named> {
  const named = parseUrl(url);
  if (named.engine !== 'sqlite') return named;
  const found = await stat(named.path).catch(() => undefined);
  if (found?.isDirectory() === true) throw directoryStore(named.path);
  return named;
}

function parseUrl(url: string): Named {
  const cut = url.indexOf(':');
  const scheme = cut < 0 ? '' : url.slice(0, cut).toLowerCase();
  const rest = url.slice(cut + 1);
  switch (scheme) {
    case 'memory':
      if (rest !== '') throw badUrl(url, 'memory: stands alone, without a path.');
      return { engine: 'memory' };
    case 'sqlite':
      if (rest === '' || rest.endsWith('/')) throw badUrl(url, 'name a file: sqlite:PATH.');
      if (rest.includes('\0')) throw badUrl(url, 'a path holds no NUL.');
      return { engine: 'sqlite', path: rest.startsWith('//') ? rest.slice(2) : rest };
    case 'postgres':
    case 'postgresql':
    case 'clickhouse':
      throw new HistoryError('no-such-engine', `stores in ${scheme} are not built yet`, {
        hint: 'use sqlite:PATH for now.',
      });
    default:
      throw badUrl(
        url,
        scheme === '' ? `write sqlite:${url} for a file of that path.` : 'a store is named by sqlite:PATH or memory:.',
      );
  }
}

function badUrl(url: string, hint: string): HistoryError {
  return new HistoryError('bad-store-url', `'${url}' names no store`, { hint });
}
