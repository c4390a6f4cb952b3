// How the page bears many intervals: its Trail in Chromium, on a served ledger. From the data to the first paint, frames a
// second while a wheel pans and zooms, and the heap. Needs Chromium and no cluster.
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Served, WebBrowser } from '@podtrail/e2e/web';
import { type Bar, BenchError, type Benchmark, type OptionValues, wholeNumber } from './benchmark.ts';
import { median } from './median.ts';
import { keptStore, shapeOf, UNTIL, WEEK_MS } from './store/filled-store.ts';
import { megabytes, table } from './table.ts';
import { PAINTED, wheel } from './ui/in-page.ts';

/** Of a document with single intervals; beyond it the server counts them. */
const MOST_INTERVALS = 200_000;
const MOST_PAINT_MS = 500;
const LEAST_FRAMES = 50;
const MOST_HEAP_BYTES = 150e6;

export const ui: Benchmark = {
  name: 'ui',
  summary: 'the Trail of the page in Chromium, with many intervals (no cluster needed)',
  options: {
    intervals: {
      placeholder: 'N,…',
      help: 'how many are in the time that is shown, one run for each',
      fallback: '100000,1000000',
    },
    weeks: { placeholder: 'N', help: 'weeks over which they are spread', fallback: '2' },
    seconds: { placeholder: 'N', help: 'of panning and zooming', fallback: '5' },
    seed: { placeholder: 'N', help: 'of everything that is made up', fallback: '1' },
    keep: { placeholder: 'DIR', help: 'makes the stores there if they are missing, and leaves them for the next run' },
  },
  async run(values, session) {
    const counts = (values['intervals'] ?? '').split(',');
    const seconds = wholeNumber(values, 'seconds', 1);
    const directory = await mkdtemp(join(tmpdir(), 'podtrail-bench-ui-'));
    const browser = await WebBrowser.start().catch((cause: Error) => {
      throw new BenchError(cause.message);
    });
    try {
      const runs: Run[] = [];
      for (const count of counts) {
        const stage = { directory, values: { ...values, tenures: count }, seconds, browser };
        runs.push(await measure(stage, session.log));
      }
      return outcomeOf(runs, browser.version);
    } finally {
      await browser.end();
      await rm(directory, { recursive: true, force: true });
    }
  },
};

interface Stage {
  readonly directory: string;
  readonly values: OptionValues;
  readonly seconds: number;
  readonly browser: WebBrowser;
}

interface Run {
  readonly intervals: number;
  readonly detail: string;
  /** From the document to what is painted of it. */
  readonly paintMs: number;
  /** From the request of the document to its end, with what the server does. */
  readonly answeredMs: number;
  readonly answerBytes: number;
  readonly framesPerSecond: number;
  /** Of the slowest hundredth of the frames. */
  readonly slowFrameMs: number;
  readonly frames: number;
  /** After the wheel, and after the garbage was collected. */
  readonly heapBytes: number;
  readonly heldBytes: number;
  readonly load: number;
}

interface Painted {
  readonly data: number;
  readonly painted: number;
  readonly answeredMs: number;
  readonly answerBytes: number;
}

async function measure({ directory, values, seconds, browser }: Stage, log: (text: string) => void): Promise<Run> {
  const shape = shapeOf(values);
  const path = join(directory, `${shape.tenures}.db`);
  log(`A ledger of ${shape.tenures} tenures …`);
  const kept = join(values['keep'] ?? join(directory, 'kept'), String(shape.tenures));
  await keptStore(kept, path, shape, log);
  const served = await Served.store(`sqlite:${path}`);
  try {
    await using watched = await browser.open({ width: 1440, height: 900, cookie: await served.cookie() });
    const { page } = watched;
    const since = new Date(UNTIL - shape.weeks * WEEK_MS).toISOString();
    const query = new URLSearchParams({
      by: 'node',
      since,
      until: new Date(UNTIL).toISOString(),
      most: String(MOST_INTERVALS),
    });
    log('Loading the Trail …');
    await page.goto(`${served.origin}/trail?${query}`);
    const { data, painted, answeredMs, answerBytes } = await page.evaluate<Painted>(PAINTED);
    await watched.settled();
    log(`Panning and zooming for ${seconds} s …`);
    const gaps = await page.evaluate<number[]>(wheel(seconds));
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable');
    const heap = async () => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'JSHeapUsedSize')?.value ?? Number.NaN;
    };
    const heapBytes = await heap();
    await session.send('HeapProfiler.collectGarbage');
    if (watched.problems.length > 0) throw new BenchError(`the page has problems: ${watched.problems.join('; ')}`);
    const document = await served.ask<{ detail: string }>(`/api/v1/timeline?${query}`);
    return {
      ...{ intervals: shape.tenures, detail: document.detail, paintMs: painted - data, answeredMs, answerBytes },
      framesPerSecond: 1000 / median(gaps),
      slowFrameMs: gaps.toSorted((a, b) => b - a)[Math.floor(gaps.length / 100)] ?? Number.NaN,
      ...{ frames: gaps.length, heapBytes, heldBytes: await heap(), load: loadavg()[0] ?? Number.NaN },
    };
  } finally {
    await served.end();
  }
}

function outcomeOf(runs: readonly Run[], chromium: string) {
  const rows = runs.map((run) => [
    ...[`${run.intervals} (${run.detail})`, run.answeredMs.toFixed(0), (run.answerBytes / 1e6).toFixed(1)],
    ...[run.paintMs.toFixed(0), run.framesPerSecond.toFixed(0), run.slowFrameMs.toFixed(0)],
    ...[megabytes(run.heapBytes), megabytes(run.heldBytes), run.load.toFixed(1)],
  ]);
  const header = ['intervals', 'answer ms', 'MB', 'paint ms', 'frames/s', 'slow ms', 'heap', 'after GC', 'load'];
  const [first] = runs;
  const bars: Bar[] = [];
  // The others show that it stays usable: they paint and follow the wheel.
  if (first !== undefined) {
    bars.push(
      { what: 'first paint after the data, ms', value: first.paintMs, bar: MOST_PAINT_MS },
      {
        what: `ms for a frame (≥ ${LEAST_FRAMES} a second)`,
        value: 1000 / first.framesPerSecond,
        bar: 1000 / LEAST_FRAMES,
      },
      { what: 'heap, MB', value: first.heapBytes / 1e6, bar: MOST_HEAP_BYTES / 1e6 },
    );
  }
  return { report: { chromium, runs }, table: table(header, rows), bars };
}
