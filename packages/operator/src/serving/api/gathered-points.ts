// Questions about one instant, answered together by an engine that can do that where its records are: those of one turn of
// the event loop, or all that came while others were being answered. They are sent after they came, so none is answered
// from a state older than its request. Called by who-text.ts.
import type { Cluster, JoinedReader, Point } from '@podtrail/history/wire';

type Source = Required<Pick<JoinedReader, 'answerPoints'>>;

interface Waiting {
  readonly point: Point;
  resolve(text: string | undefined): void;
}

export class GatheredPoints {
  readonly #source: Source;
  readonly #hasPeers: boolean;
  /** By the cluster's ID: those that are not sent yet. A list that is empty: others are being answered. */
  readonly #waiting = new Map<string, Waiting[]>();

  /** `hasPeers`: what an answer leaves open is asked in another way. */
  constructor(source: Source, hasPeers: boolean) {
    this.#source = source;
    this.#hasPeers = hasPeers;
  }

  /** The document of `who`, as JSON. Undefined: it must be asked on a snapshot. Never rejects. */
  ask(cluster: Cluster, point: Point): Promise<string | undefined> {
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(cluster.id);
      if (waiting !== undefined) {
        waiting.push({ point, resolve });
        return;
      }
      this.#waiting.set(cluster.id, [{ point, resolve }]);
      setImmediate(() => this.#send(cluster));
    });
  }

  #send(cluster: Cluster): void {
    const sent = this.#waiting.get(cluster.id) ?? [];
    if (sent.length === 0) {
      this.#waiting.delete(cluster.id);
      return;
    }
    this.#waiting.set(cluster.id, []);
    const points = sent.map(({ point }) => point);
    this.#source.answerPoints(cluster, points).then(
      ({ texts, open }) => {
        // First the next ones, so that the engine works while these are written.
        this.#send(cluster);
        const isLeft = new Set(this.#hasPeers ? open : []);
        for (const [i, { resolve }] of sent.entries()) resolve(isLeft.has(i) ? undefined : texts[i]);
      },
      // One of them, or the moment: alone, each gets its own answer or its own error.
      () => {
        this.#send(cluster);
        for (const { resolve } of sent) resolve(undefined);
      },
    );
  }
}
