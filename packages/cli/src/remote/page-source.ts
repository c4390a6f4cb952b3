// Where the files of the page come from: beside the installed command they lie as `npm run build` has made them; in a
// clone they are made of the sources when somebody asks for the page. The server is given this, and knows neither.
import { readdir, readFile } from 'node:fs/promises';
import { type PageFiles, type PageSource, Problem } from '@podtrail/operator/serving';

/** Beside the folder of the code, in what is published. */
const BUILT = new URL('../page/', import.meta.url);

export function pageSource(source: string = import.meta.url, built: URL = BUILT): PageSource {
  let page: Promise<PageSource> | undefined;
  return async () => {
    page ??= source.endsWith('.ts') ? sourcesOfClone() : Promise.resolve(keptPage(built));
    try {
      return await (await page)();
    } catch (cause) {
      page = undefined;
      throw new Problem(503, 'no-page', `the page cannot be shown: ${(cause as Error).message}`, {
        hint: 'questions are answered without it: /openapi.json lists them.',
        cause,
      });
    }
  };
}

/** Read once, by the first who asks. */
function keptPage(built: URL): PageSource {
  let files: Promise<PageFiles> | undefined;
  return () => (files ??= readPage(built));
}

async function readPage(built: URL): Promise<PageFiles> {
  const names = await readdir(new URL('assets/', built));
  const assets = names.map(
    async (name) => [`assets/${name}`, await readFile(new URL(`assets/${name}`, built))] as const,
  );
  return { index: await readFile(new URL('index.html', built), 'utf8'), assets: new Map(await Promise.all(assets)) };
}

/** esbuild is only there for those who work on podtrail. */
async function sourcesOfClone(): Promise<PageSource> {
  const { pageOfSources } = await import('@podtrail/web/bundle');
  return pageOfSources();
}
