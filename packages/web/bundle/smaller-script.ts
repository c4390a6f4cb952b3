// The program of a thread that makes a script smaller. It takes seconds on a busy machine, in which whoever serves the page
// of a clone has other work: an operator would lose its lease. Started by bundle-page.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { minify } from 'terser';

const { code = '' } = await minify(workerData as string, {
  module: true,
  ecma: 2020,
  compress: { passes: 3, unsafe_arrows: true, sequences: false, inline: 0 },
});
parentPort?.postMessage(code);
