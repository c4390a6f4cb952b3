// A free loopback port below the range from which the kernel takes ports for outgoing connections, so that a part can
// be stopped and started again on its port without finding it taken. Test files that run at once share none: each worker
// of the run has a part of the range.
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { ControlPlaneError } from './control-plane-error.ts';

const FIRST = 20_000;
const LAST = 32_000;
/** Which of how many workers of a test run this is: `0/2`. */
const [worker = 0, workers = 1] = (process.env['PODTRAIL_TEST_WORKER'] ?? '0/1').split('/').map(Number);
const COUNT = Math.floor((LAST - FIRST) / workers);
const OWN_FIRST = FIRST + worker * COUNT;
const given = new Set<number>();

export async function freePort(): Promise<number> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const port = randomInt(OWN_FIRST, OWN_FIRST + COUNT);
    if (given.has(port) || !(await isFree(port))) continue;
    given.add(port);
    return port;
  }
  throw new ControlPlaneError(`No free loopback port was found between ${OWN_FIRST} and ${OWN_FIRST + COUNT}.`);
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
