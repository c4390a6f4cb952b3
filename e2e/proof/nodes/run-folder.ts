// What a run on real nodes leaves behind, so that it can be judged again with another ledger: `--replay DIR`.
// All files are JSON lines, gzipped where they are large. Times of the API side are epoch milliseconds (`at`), times of
// the physical side epoch nanoseconds (`t`). A small run is one file instead, NAME.jsonl.gz: every line of it says in
// which file of a folder it would be.
import { createReadStream, existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';

/** run.json */
export interface RunDescription {
  readonly seed: number;
  readonly cluster: string;
  readonly nodes: readonly { readonly name: string; readonly kubelet: string }[];
  /** Every address that a pod can have had. */
  readonly addresses: readonly string[];
  readonly podCidrs: boolean;
  /** What may be asked about, in epoch milliseconds. */
  readonly from: number;
  readonly to: number;
}

export type WatchedKind = 'Pod' | 'Node' | 'Service' | 'Lease' | 'Event';

/** watch.jsonl.gz: what the API server said, in the order of its arrival. */
export type WatchLine =
  | {
      readonly at: number;
      readonly kind: WatchedKind;
      readonly type: 'LIST';
      readonly resourceVersion: string;
      readonly items: readonly KubeObject[];
    }
  | {
      readonly at: number;
      readonly kind: WatchedKind;
      readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
      readonly object: KubeObject;
    }
  | { readonly at: number; readonly kind: WatchedKind; readonly type: 'BOOKMARK'; readonly resourceVersion: string }
  /** A consistent read said that this is the newest version; `at` is when it was asked. */
  | { readonly at: number; readonly kind: 'Pod'; readonly type: 'PROBE'; readonly resourceVersion: string };

export interface KubeObject {
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly creationTimestamp?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: { readonly nodeName?: string; readonly hostNetwork?: boolean };
  readonly status?: { readonly phase?: string; readonly podIP?: string };
}

/** cni.jsonl */
export interface CniLine {
  readonly t: number;
  readonly command: 'ADD' | 'DEL';
  readonly node: string;
  readonly sandbox: string;
  /** Of a static pod: the hash of its file. */
  readonly uid: string;
  readonly pod: string;
  readonly namespace: string;
  readonly ips: readonly string[];
  readonly veths: readonly string[];
}

/** ipam.jsonl */
export interface IpamLine {
  readonly t: number;
  readonly what: 'reserved' | 'released' | 'overflow';
  readonly ip: string;
  readonly sandbox: string;
}

/** links.jsonl */
export interface LinkLine {
  readonly t: number;
  readonly what: 'up' | 'down' | 'overflow';
  readonly veth: string;
}

/** packets.jsonl.gz */
export interface PacketLine {
  readonly t: number;
  readonly sent: number;
  readonly ip: string;
  readonly uid: string;
}

/** actions.jsonl: what was done, and to whom. `until` is set for what lasts. */
export interface ActionLine {
  readonly at: number;
  readonly until?: number;
  readonly what: string;
  readonly node?: string;
  readonly pod?: string;
  readonly note?: string;
}

/** outages.jsonl: when no recorder ran. */
export interface OutageLine {
  readonly from: number;
  readonly to: number;
}

/** A line of a run that is one file. */
export interface PackedLine {
  readonly in: 'run' | 'watch' | 'cni' | 'ipam' | 'links' | 'packets' | 'actions' | 'outages';
  readonly line: unknown;
}

const PACKED = '.jsonl.gz';

export async function readRun(directory: string): Promise<RunDescription> {
  if (directory.endsWith(PACKED)) {
    const [run] = await readAll<RunDescription>(directory, 'run');
    if (run === undefined) throw new Error(`${directory} does not say which run it is from: it has no line "run".`);
    return run;
  }
  return JSON.parse(await readFile(join(directory, 'run.json'), 'utf8')) as RunDescription;
}

/** The lines of NAME.jsonl or NAME.jsonl.gz; none when neither is there. */
export async function* readLines<T>(directory: string, name: string): AsyncIterable<T> {
  if (directory.endsWith(PACKED)) {
    const input = createReadStream(directory).pipe(createGunzip());
    for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const packed = JSON.parse(text) as PackedLine;
      if (packed.in === name) yield packed.line as T;
    }
    return;
  }
  const plain = join(directory, `${name}.jsonl`);
  const zipped = `${plain}.gz`;
  if (!existsSync(plain) && !existsSync(zipped)) return;
  const input = existsSync(plain) ? createReadStream(plain) : createReadStream(zipped).pipe(createGunzip());
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    // A run that was cut off may end within a line.
    if (line.endsWith('}')) yield JSON.parse(line) as T;
  }
}

export async function readAll<T>(directory: string, name: string): Promise<T[]> {
  const all: T[] = [];
  for await (const line of readLines<T>(directory, name)) all.push(line);
  return all;
}
