// `npm run images`: pictures of every view in both themes, for the documents, from the demo with its fixed seed.
// `npm run images -- DIR` writes them elsewhere than docs/images.
import { mkdir, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { until } from '../controlplane/index.ts';
import { WebBrowser } from './browser.ts';
import { DEMO_SEED, Served } from './served-ledger.ts';
import { smallPng } from './small-png.ts';
import { viewsOf } from './views.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const THEMES = ['light', 'dark'] as const;
const SIZE = { width: 1280, height: 800 };
/** A page with ten of them is still read on a train. */
const MOST_BYTES = 150_000;
/** Enough for a picture that is neither empty nor crowded. */
const CLUSTER = ['--nodes', '8', '--pods', '120'];
/** By the name of the view; those that are not here are empty until somebody asks. */
const FILES: Readonly<Record<string, string>> = {
  'ask, answered': 'ask',
  trail: 'trail',
  nodes: 'nodes',
  feed: 'feed',
  health: 'health',
};

const folder = process.argv[2] ?? join(ROOT, 'docs', 'images');
await mkdir(folder, { recursive: true });
process.stdout.write(`the demo with --seed ${DEMO_SEED} ${CLUSTER.join(' ')}\n`);
const [browser, demo] = await Promise.all([WebBrowser.start(), Served.demo({ flags: CLUSTER })]);
try {
  const served = Date.now();
  // A recorder that has just begun reads what it missed first; a picture of that would show nobody watching.
  await until('the recorder watches', async () => {
    const { coverage } = await demo.ask<{ readonly coverage: { readonly to: string | null } }>('/api/v1/gaps');
    return Date.parse(coverage.to ?? '') > served;
  });
  for (const theme of THEMES) {
    await using watched = await browser.open({ ...SIZE, theme, zone: 'UTC', cookie: await demo.cookie() });
    for (const { name, path } of viewsOf(demo)) {
      const file = FILES[name];
      if (file === undefined) continue;
      await watched.goto(`${demo.origin}${path}`);
      const picture = smallPng(await watched.page.screenshot({ animations: 'disabled' }));
      const to = join(folder, `${file}-${theme}.png`);
      if (picture.length > MOST_BYTES) throw new Error(`${to} is ${picture.length} bytes, more than ${MOST_BYTES}`);
      await writeFile(to, picture);
      process.stdout.write(`${relative(ROOT, to)}: ${picture.length} bytes\n`);
    }
    if (watched.problems.length > 0) throw new Error(`the page has problems: ${watched.problems.join('; ')}`);
  }
} finally {
  await Promise.all([browser.end(), demo.end()]);
}
