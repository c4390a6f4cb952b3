// The reader of `npm run bench -- lag`, in a process of its own: asks the store who holds each address, over and over,
// until the answer is the pod that got it. Started with a store's URL and a cluster's id; gets changes and answers
// by IPC.
import { setTimeout as sleep } from 'node:timers/promises';
import { epochMillis, openStore, parseIp, who, withSnapshot } from '@podtrail/history';

/** One change: the address that a pod got, and when the server's answer to the writer arrived (epoch milliseconds). */
export interface Change {
  readonly ip: string;
  readonly uid: string;
  readonly committedAt: number;
}

export interface Answerable {
  readonly ip: string;
  /** From the commit to the first right answer; undefined when there was none in time. */
  readonly lagMs: number | undefined;
}

const ASK_EVERY_MS = 5;
const GIVE_UP_MS = 10_000;

const [url = '', cluster = ''] = process.argv.slice(2);
const engine = await openStore(url, { access: 'read' });
const waiting = new Map<string, Change>();
let ended = false;
process.on('message', (message: Change | 'end') => {
  if (message === 'end') ended = true;
  else waiting.set(message.ip, message);
});
process.on('disconnect', () => process.exit(1));
process.send?.('ready');

while (!ended || waiting.size > 0) {
  const round = now();
  await Promise.all([...waiting.values()].map(ask));
  await sleep(Math.max(0, ASK_EVERY_MS - (now() - round)));
}
await engine.close();
process.exit(0);

/** As `podtrail who IP` does: about this instant. */
async function ask({ ip, uid, committedAt }: Change): Promise<void> {
  const at = epochMillis(now());
  const { answer, holders } = await withSnapshot(engine, cluster, (snapshot) =>
    who(snapshot, { ip: parseIp(ip)!, at, now: at }),
  );
  const lagMs = now() - committedAt;
  const isRight = answer === 'held' && holders[0]?.uid === uid;
  if (!isRight && lagMs < GIVE_UP_MS) return;
  waiting.delete(ip);
  process.send?.({ ip, lagMs: isRight ? lagMs : undefined } satisfies Answerable);
}

function now(): number {
  return performance.timeOrigin + performance.now();
}
