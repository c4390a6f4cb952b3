// The page in a clone: made of its sources when somebody asks for it, and again when they have changed since, so that
// whoever works on it only loads it again. Called by the command, which has files instead where it is installed.
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type BundledPage, bundlePage, SOURCES } from './bundle-page.ts';

export function pageOfSources(sources: string = SOURCES): () => Promise<BundledPage> {
  let made: { readonly of: string; readonly page: Promise<BundledPage> } | undefined;
  return async () => {
    const of = await stateOf(sources);
    // One that failed is not kept: what was missing may be there the next time.
    if (made?.of !== of) {
      const page = bundlePage(sources);
      const fresh = { of, page };
      made = fresh;
      page.catch(() => {
        if (made === fresh) made = undefined;
      });
    }
    return await made.page;
  };
}

async function stateOf(sources: string): Promise<string> {
  const entries = await readdir(sources, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const found = await Promise.all(files.sort().map(async (file) => `${file} ${(await stat(file)).mtimeMs}`));
  return found.join('\n');
}
