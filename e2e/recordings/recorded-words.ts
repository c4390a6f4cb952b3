// Which sequences of words real kubelets of a version were recorded to say, by mechanism, with what became of their
// addresses between the words. simulator.test.ts compares the simulated kubelets and the truth driver with them.
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type CniLine, type IpamLine, readAll, readRun, type WatchLine } from '../proof/nodes/run-folder.ts';
import { type AddressEvent, type PodEvent, type WordSequence, wordSequence } from './api-words.ts';

/** A sequence, and a pod that said it. */
export interface RecordedSequence extends WordSequence {
  readonly pod: string;
}

/** A word arrives at our watch so late at most, where the machine is busy. */
const LATE_MS = 2_000;
const MILLI = 1_000_000;
const MECHANISM_LABEL = 'podtrail.dev/mechanism';
const MECHANISMS = 'mechanisms';
const EXTENSION = '.jsonl.gz';

export class RecordedWords {
  /** By kubelet version and mechanism. */
  readonly #sequences = new Map<string, RecordedSequence[]>();

  /** Of all recordings in which nothing happened to whole nodes, and of `node-NAME` under that name. */
  static async read(directory: string): Promise<RecordedWords> {
    const read = new RecordedWords();
    const entries = await readdir(directory, { withFileTypes: true });
    for (const { name } of entries) if (name.endsWith('-calm')) await read.#add(directory, name);
    for (const name of await readdir(join(directory, MECHANISMS))) await read.#add(directory, join(MECHANISMS, name));
    return read;
  }

  /** Minor versions of kubelets, such as `1.36`. */
  get versions(): string[] {
    return [...new Set([...this.#sequences.keys()].map((key) => key.split(' ')[0] as string))].sort();
  }

  of(version: string, mechanism: string): readonly RecordedSequence[] {
    return this.#sequences.get(`${version} ${mechanism}`) ?? [];
  }

  /** Of all versions that write alike: those before 1.36, and those since. A short recording does not have everything. */
  ofAlike(version: string, mechanism: string): readonly RecordedSequence[] {
    const alike = this.versions.filter((other) => tellsNetworkAtOnce(other) === tellsNetworkAtOnce(version));
    return alike.flatMap((other) => this.of(other, mechanism));
  }

  async #add(directory: string, recording: string): Promise<void> {
    const folder = join(directory, recording);
    const { nodes } = await readRun(folder);
    const versions = new Map(nodes.map(({ name, kubelet }) => [name, /1\.\d+/.exec(kubelet)?.[0] ?? '']));
    const addresses = await addressEvents(folder);
    const title = recording.replace(`${MECHANISMS}/`, '').replace(EXTENSION, '');
    for (const events of await eventsOfPods(folder)) {
      if (events[0]?.type !== 'ADDED' || events.at(-1)?.type !== 'DELETED') continue;
      const { metadata, spec } = events.at(-1)!.object as unknown as Labelled;
      const mechanism = title.startsWith('node-') ? title : (metadata.labels?.[MECHANISM_LABEL] ?? '');
      const key = `${versions.get(spec.nodeName ?? '')} ${mechanism}`;
      const known = this.#sequences.get(key) ?? [];
      this.#sequences.set(key, known);
      const said = wordSequence(events, addresses.get(metadata.uid) ?? [], LATE_MS);
      known.push({ ...said, pod: `${metadata.name} of ${title}` });
    }
  }
}

function tellsNetworkAtOnce(version: string): boolean {
  return Number(version.split('.')[1]) >= 36;
}

interface Labelled {
  readonly metadata: {
    readonly uid: string;
    readonly name: string;
    readonly labels?: Readonly<Record<string, string>>;
  };
  readonly spec: { readonly nodeName?: string };
}

async function eventsOfPods(folder: string): Promise<PodEvent[][]> {
  const pods = new Map<string, PodEvent[]>();
  for (const line of await readAll<WatchLine>(folder, 'watch')) {
    if (line.kind !== 'Pod' || !('object' in line) || line.object.metadata.labels?.[MECHANISM_LABEL] === undefined)
      continue;
    const { uid } = line.object.metadata;
    const events = pods.get(uid) ?? [];
    events.push(line);
    pods.set(uid, events);
  }
  return [...pods.values()];
}

/** What host-local's book says of each pod's sandboxes. */
async function addressEvents(folder: string): Promise<ReadonlyMap<string, AddressEvent[]>> {
  const owners = new Map((await readAll<CniLine>(folder, 'cni')).map(({ sandbox, uid }) => [sandbox, uid]));
  const events = new Map<string, AddressEvent[]>();
  for (const { t, what, ip, sandbox } of await readAll<IpamLine>(folder, 'ipam')) {
    const uid = owners.get(sandbox);
    if (uid === undefined || what === 'overflow') continue;
    const ofPod = events.get(uid) ?? [];
    ofPod.push({ at: t / MILLI, what, ip });
    events.set(uid, ofPod);
  }
  return events;
}
