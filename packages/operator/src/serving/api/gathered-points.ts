// Questions about one instant, answered together by an engine that can do that where its records are: those of one turn of
// the event loop, or all that came while others were being answered, in batches. They are sent after they came, so none is
// answered from a state older than its request. Called by who-text.ts.
import type { Cluster, JoinedReader, Point } from '@podtrail/history/wire';

type Source = Required<Pick<JoinedReader, 'answerPoints'>>;

interface Waiting {
  readonly point: Point;
  resolve(text: string | undefined): void;
}

/** Small, so that the answers of one batch are written while the next one is being answered. */
const MOST_TOGETHER = 32;
/** One is being answered, the other one is there when that is done. */
const MOST_UNDER_WAY = 2;

/** Of one cluster. Removed when nothing waits and nothing is under way. */
interface Queue {
  readonly waiting: Waiting[];
  underWay: number;
  /** A turn is coming in which the next batch is sent. */
  isPlanned: boolean;
}

export class GatheredPoints {
  readonly #source: Source;
  readonly #hasPeers: boolean;
  /** By the cluster's ID. */
  readonly #queues = new Map<string, Queue>();

  /** `hasPeers`: what an answer leaves open is asked in another way. */
  constructor(source: Source, hasPeers: boolean) {
    this.#source = source;
    this.#hasPeers = hasPeers;
  }

  /** The document of `who`, as JSON. Undefined: it must be asked on a snapshot. Never rejects. */
  ask(cluster: Cluster, point: Point): Promise<string | undefined> {
    return new Promise((resolve) => {
      let queue = this.#queues.get(cluster.id);
      if (queue === undefined) {
        queue = { waiting: [], underWay: 0, isPlanned: false };
        this.#queues.set(cluster.id, queue);
      }
      queue.waiting.push({ point, resolve });
      this.#plan(cluster, queue);
    });
  }

  /** Not in this turn: what else comes in it goes along. */
  #plan(cluster: Cluster, queue: Queue): void {
    if (queue.isPlanned || queue.waiting.length === 0 || queue.underWay >= MOST_UNDER_WAY) return;
    queue.isPlanned = true;
    setImmediate(() => {
      queue.isPlanned = false;
      this.#send(cluster, queue);
    });
  }

  #send(cluster: Cluster, queue: Queue): void {
    if (queue.waiting.length === 0 || queue.underWay >= MOST_UNDER_WAY) return;
    const sent = queue.waiting.splice(0, MOST_TOGETHER);
    queue.underWay++;
    const points = sent.map(({ point }) => point);
    this.#source.answerPoints(cluster, points).then(
      ({ texts, open }) => {
        this.#ended(cluster, queue);
        const isLeft = new Set(this.#hasPeers ? open : []);
        for (const [i, { resolve }] of sent.entries()) resolve(isLeft.has(i) ? undefined : texts[i]);
      },
      // One of them, or the moment: alone, each gets its own answer or its own error.
      () => {
        this.#ended(cluster, queue);
        for (const { resolve } of sent) resolve(undefined);
      },
    );
    this.#plan(cluster, queue);
  }

  /** First the next ones, so that the engine works while these are written. */
  #ended(cluster: Cluster, queue: Queue): void {
    queue.underWay--;
    if (queue.waiting.length > 0) this.#send(cluster, queue);
    else if (queue.underWay === 0) this.#queues.delete(cluster.id);
  }
}
