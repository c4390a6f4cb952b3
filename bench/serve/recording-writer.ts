// Writes to a store as a recorder of a busy cluster does, while it is asked: 20 commits a second, of ten lives each. Prints
// how long each took from the call to being durable, when it is ended.
import { setTimeout as sleep } from 'node:timers/promises';
import { epochMillis, openStore } from '@podtrail/history';
import { CLUSTER } from '../store/filled-store.ts';
import { madeHistory } from '../store/made-history.ts';

const EVERY_MS = 50;
const LIVES = 10;

const [url = '', seed = '1'] = process.argv.slice(2);
const engine = await openStore(url, { access: 'write' });
const writer = await engine.takeOver(CLUSTER);
const lags: number[] = [];
let isEnding = false;
process.on('SIGTERM', () => {
  isEnding = true;
});
const until = Date.now();
const lives = madeHistory({
  tenures: 1_000_000,
  weeks: 2,
  nodes: 1000,
  addresses: 1 << 16,
  seed: Number(seed) + 1,
  until,
});
process.stdout.write('writing\n');
while (!isEnding) {
  const begun = performance.now();
  const facts = Array.from({ length: LIVES }, () => lives.next().value).flatMap((life) =>
    life === undefined
      ? []
      : [
          { kind: 'tenure' as const, tenure: life.tenure },
          { kind: 'placement' as const, placement: life.placement },
        ],
  );
  await writer.append({
    facts,
    checkpoint: { epoch: 2, resourceVersion: String(lags.length + 1), at: epochMillis(Date.now()) },
  });
  lags.push(performance.now() - begun);
  await sleep(Math.max(0, EVERY_MS - (performance.now() - begun)));
}
await engine.close();
lags.sort((a, b) => a - b);
process.stdout.write(
  `${JSON.stringify({ commits: lags.length, p99: lags[Math.floor(lags.length * 0.99)], max: lags.at(-1) })}\n`,
);
