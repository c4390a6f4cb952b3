// All pods of the cluster, by one watch of our own: provocations wait for what a pod shows, and never for time. Plain HTTP,
// so that nothing under test decides what is waited for.
import type { ControlPlane, HttpLines } from '../controlplane/index.ts';

export interface WatchedPod {
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly deletionTimestamp?: string;
    readonly ownerReferences?: readonly { readonly uid: string; readonly kind: string }[];
  };
  readonly spec: { readonly nodeName?: string; readonly containers: readonly { readonly name: string }[] };
  readonly status: {
    readonly phase: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
  };
}

const LONGEST_WAIT_MS = 180_000;

export class PodWatch implements Disposable {
  readonly #pods = new Map<string, WatchedPod>();
  readonly #waiting = new Set<() => void>();
  readonly #ended = Promise.withResolvers<never>();
  readonly #lines: HttpLines;

  private constructor(lines: HttpLines) {
    this.#lines = lines;
    this.#ended.promise.catch(() => {});
  }

  static async start(plane: ControlPlane): Promise<PodWatch> {
    const watch = new PodWatch(await plane.lines('/api/v1/pods?watch=true&timeoutSeconds=21600'));
    void watch.#read().catch(() => {});
    return watch;
  }

  /** The first answer that is not undefined, asked now and after every change. */
  async until<T>(what: string, ask: (pods: readonly WatchedPod[]) => T | undefined): Promise<T> {
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const look = () => {
      const answer = ask([...this.#pods.values()]);
      if (answer !== undefined) resolve(answer);
    };
    const timer = setTimeout(
      () => reject(new Error(`waited ${LONGEST_WAIT_MS / 1000} s in vain until ${what}`)),
      LONGEST_WAIT_MS,
    );
    this.#waiting.add(look);
    try {
      look();
      return await Promise.race([promise, this.#ended.promise]);
    } finally {
      this.#waiting.delete(look);
      clearTimeout(timer);
    }
  }

  [Symbol.dispose](): void {
    this.#lines.close();
    this.#ended.reject(new Error('the run is over'));
  }

  async #read(): Promise<void> {
    for await (const line of this.#lines) {
      const { type, object } = JSON.parse(line) as { type: string; object: WatchedPod };
      if (type === 'DELETED') this.#pods.delete(object.metadata.uid);
      else if (type === 'ADDED' || type === 'MODIFIED') this.#pods.set(object.metadata.uid, object);
      for (const look of this.#waiting) look();
    }
  }
}
