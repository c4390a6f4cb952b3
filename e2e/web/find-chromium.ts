// The browser of the machine: playwright-core brings none. Used by the tests of this folder, by `npm run images` and by
// `npm run bench -- ui`.
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

export const NO_CHROMIUM = 'no Chromium on this machine: apt-get install chromium, or set PODTRAIL_CHROMIUM';

/** Its path; undefined where there is none. PODTRAIL_CHROMIUM names another one. */
export function findChromium(env: NodeJS.ProcessEnv = process.env): string | undefined {
  const named = env['PODTRAIL_CHROMIUM'];
  if (named !== undefined && named !== '') return named;
  const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}
