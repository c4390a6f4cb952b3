// Plays the lives of a recorder into an engine, as the real one does: observe, append with the checkpoint, die, resume.
import type { Engine } from '../engines/engine.ts';
import type { Batch } from '../engines/ledger-writer.ts';
import { CauseObserver } from '../explain/observe/cause-observer.ts';
import type { StoredFact } from '../model/fact.ts';
import type { Checkpoint, Scope, StreamPosition } from '../model/records.ts';
import type { Observation } from '../observe/observation.ts';
import { Observer } from '../observe/observer.ts';
import type { RecorderLife } from './simulated-watch.ts';

const EVERYTHING: Scope = { kind: 'cluster' };
/** One change of a pod and three of a namespace within an hour: the budgets are soon used up. */
const SMALL_BUDGETS = { pod: 600, namespace: 1700 };

export interface RecordOptions {
  /** So many appends become one, for engines with dear transactions. */
  readonly gather?: number;
  /** With the traces of causes. */
  readonly causes?: boolean;
  readonly collector?: string;
  /** Kinds without which nothing is free. Simulated recorders begin with a listing of them in every life. */
  readonly alsoFollows?: readonly StreamPosition['kind'][];
}

/** Every life resumes from the store. Returns what was appended. */
export async function record(
  engine: Engine,
  cluster: string,
  lives: readonly RecorderLife[],
  { gather = 1, causes = false, collector = 'simulated', alsoFollows = [] }: RecordOptions = {},
): Promise<Batch[]> {
  const batches: Batch[] = [];
  for (const [index, { appends, lost }] of lives.entries()) {
    const writer = await engine.takeOver({ id: cluster, name: cluster });
    const resumed = index === 0 ? undefined : await engine.resume(cluster);
    const observer = new Observer({
      ...{ collector, alsoFollows },
      scope: EVERYTHING,
      changeBudgets: SMALL_BUDGETS,
      ...(resumed === undefined ? {} : { resume: resumed.state, checkpoint: resumed.checkpoint }),
    });
    const traces = causes ? new CauseObserver({ collector, ledger: observer }) : undefined;
    let checkpoint = resumed?.checkpoint;
    const durable = appends.slice(0, appends.length - lost);
    for (let first = 0; first < durable.length; first += gather) {
      const facts: StoredFact[] = [];
      for (const observation of durable.slice(first, first + gather).flat()) {
        facts.push(...(traces?.observe(observation) ?? []), ...observer.observe(observation));
        checkpoint = checkpointAfter(checkpoint, observation, observer.epoch);
      }
      const batch: Batch = { facts, checkpoint };
      await writer.append(batch);
      batches.push(batch);
    }
  }
  return batches;
}

function checkpointAfter(
  before: Checkpoint | undefined,
  observation: Observation,
  epoch: number,
): Checkpoint | undefined {
  const { at } = observation;
  switch (observation.kind) {
    case 'event': {
      const { kind, object } = observation.seen;
      return kind === 'Pod' ? { epoch, resourceVersion: object.metadata.resourceVersion, at } : before;
    }
    case 'listed':
    case 'progress':
      return observation.resource === 'Pod' ? { epoch, resourceVersion: observation.resourceVersion, at } : before;
    default:
      return before;
  }
}
