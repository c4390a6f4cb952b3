// Asks the server how far it is, aside of the watches: that keeps bounds narrow where events are rare, and shows when
// versions went back. Called by the recorder every two seconds.
import type { EpochMillis } from '@podtrail/history';
import { compareResourceVersions, isComparable } from '@podtrail/machinery';
import type { FollowedStream } from './followed-stream.ts';

export interface ServerVersionOptions {
  /** The server's newest version; empty where it does not say. */
  readonly ask: (signal: AbortSignal) => Promise<string>;
  readonly streams: () => readonly FollowedStream[];
  /** The ledger's time, where it is known. */
  readonly now: () => EpochMillis | undefined;
  /** At `at` the server had come to this version, and the watches had not gone beyond it. */
  readonly onProbed: (resourceVersion: string, at: EpochMillis) => void;
}

interface Probed {
  readonly version: string;
  readonly known: readonly { readonly stream: FollowedStream; readonly rewinds: number }[];
}

export class ServerVersion {
  readonly #options: ServerVersionOptions;
  /** The last answer, and how many rewinds each stream had seen then. */
  #before: Probed | undefined;

  constructor(options: ServerVersionOptions) {
    this.#options = options;
  }

  async probe(signal: AbortSignal): Promise<void> {
    const at = this.#options.now();
    const streams = this.#options.streams();
    const known = streams.map((stream) => {
      return { stream, version: stream.informer.lastVersion, rewinds: stream.rewinds };
    });
    const version = await this.#options.ask(signal);
    if (version === '' || at === undefined) return;
    // A consistent read is never older than one before it, unless etcd was restored from a backup.
    const before = this.#before;
    this.#before = { version, known };
    if (before !== undefined && isOlder(version, before.version)) {
      for (const { stream, rewinds } of before.known) if (stream.rewinds === rewinds) stream.informer.rewound();
      return;
    }
    const ahead = known.filter(({ version: reached }) => reached !== undefined && isOlder(version, reached));
    for (const { stream, rewinds } of ahead) if (stream.rewinds === rewinds) stream.informer.doubt();
    if (ahead.length > 0 || !streams.some(({ informer }) => informer.isCurrent)) return;
    this.#options.onProbed(version, at);
  }
}

function isOlder(a: string, b: string): boolean {
  return isComparable(a) && isComparable(b) && compareResourceVersions(a, b) < 0;
}
