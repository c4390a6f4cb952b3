// Carries out a plan for slices: several writes at a time, each with a precondition on what it was planned from. What
// somebody else wrote in between is read again, so that the next plan starts from the truth.
import { isAlreadyExists, isConflict, isNotFound, type ResourceClient, type WriteOptions } from '@podtrail/machinery';
import { HOLDS_LABEL, TRACKER_LABEL } from '../crds/manifests.ts';
import type { PodTrackerSlice } from '../crds/podtracker-slice.ts';
import { mergeDiff } from './merge-diff.ts';
import { unpack } from './packed-entry.ts';
import type { SliceCreation, SlicePatch, SliceWrite } from './plan-slices.ts';
import { type Holds, sliceView } from './slice-view.ts';
import type { Tracked } from './tracked.ts';

export interface SliceWriterOptions {
  /** Fenced: refuses to write when this process does not lead. */
  readonly slices: ResourceClient<PodTrackerSlice>;
  readonly onWrite: (tracked: Tracked) => void;
}

export interface WriteResult {
  written: number;
  /** Somebody else wrote in between: plan again. */
  conflicts: number;
  /** The first failure of another kind. */
  error: unknown;
}

const AT_ONCE = 4;
export const FIELD_MANAGER = 'podtrail-podtracker';

export class SliceWriter {
  readonly #options: SliceWriterOptions;

  constructor(options: SliceWriterOptions) {
    this.#options = options;
  }

  /** One failed write does not keep the others from being tried. Never rejects; the caller plans again. */
  async write(
    tracked: Tracked,
    holds: Holds,
    writes: readonly SliceWrite[],
    signal: AbortSignal,
  ): Promise<WriteResult> {
    const result: WriteResult = { written: 0, conflicts: 0, error: undefined };
    const waiting = [...writes].reverse();
    const worker = async () => {
      for (let write = waiting.pop(); write !== undefined; write = waiting.pop()) {
        try {
          signal.throwIfAborted();
          await this.#carryOut(tracked, holds, write, { signal, fieldManager: FIELD_MANAGER });
          result.written++;
        } catch (error) {
          if (await this.#reread(tracked, write, error, signal)) result.conflicts++;
          else result.error ??= error;
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, writes.length) }, worker));
    return result;
  }

  async #carryOut(tracked: Tracked, holds: Holds, write: SliceWrite, options: WriteOptions): Promise<void> {
    const { slices, onWrite } = this.#options;
    switch (write.kind) {
      case 'create':
        tracked.learnSlice(sliceView(await slices.create(newSlice(tracked, holds, write), options)));
        break;
      case 'patch': {
        const body = patchBody(tracked, holds, write);
        const { name } = write.slice.metadata;
        tracked.learnSlice(sliceView(await slices.patch(name, { kind: 'merge', body }, options)));
        break;
      }
      case 'delete': {
        const { name, uid, resourceVersion } = write.slice.metadata;
        await slices.delete(name, { preconditions: { uid, resourceVersion }, signal: options.signal });
        tracked.loseSlice(write.slice, true);
        break;
      }
    }
    onWrite(tracked);
  }

  /** True if the failure says that the plan was made from an old state, and the state is known now. */
  async #reread(tracked: Tracked, write: SliceWrite, error: unknown, signal: AbortSignal): Promise<boolean> {
    const name = write.kind === 'create' ? write.name : write.slice.metadata.name;
    if (isNotFound(error)) {
      if (write.kind === 'create') return false; // no such kind: the definition is gone
      tracked.loseSlice(write.slice, false);
      return true;
    }
    if (!isConflict(error) && !isAlreadyExists(error)) return false;
    try {
      tracked.learnSlice(sliceView(await this.#options.slices.get(name, { signal })));
    } catch (unread) {
      if (isNotFound(unread) && write.kind !== 'create') tracked.loseSlice(write.slice, false);
    }
    return true;
  }
}

/** What a write is about. */
export function keysOf(write: SliceWrite): string[] {
  switch (write.kind) {
    case 'create':
      return [...write.entries.keys()];
    case 'patch':
      return [...write.changes.keys()];
    case 'delete':
      return [...write.slice.entries.keys()];
  }
}

function newSlice(tracked: Tracked, holds: Holds, { name, entries }: SliceCreation): PodTrackerSlice {
  const content = Object.fromEntries([...entries].map(([key, packed]) => [key, unpack(packed)]));
  return {
    apiVersion: 'podtrail.dev/v1',
    kind: 'PodTrackerSlice',
    metadata: { name, ...belonging(tracked, holds) },
    [fieldOf(holds)]: content,
  };
}

function patchBody(tracked: Tracked, holds: Holds, { slice, changes, adopt }: SlicePatch): Record<string, unknown> {
  const entries = [...changes].map(([key, packed]) => {
    if (packed === undefined) return [key, null];
    const before = slice.entries.get(key);
    return [key, before === undefined ? unpack(packed) : (mergeDiff(unpack(before), unpack(packed)) ?? {})];
  });
  return {
    metadata: { resourceVersion: slice.metadata.resourceVersion, ...(adopt ? belonging(tracked, holds) : {}) },
    ...(entries.length === 0 ? {} : { [fieldOf(holds)]: Object.fromEntries(entries) }),
  };
}

function fieldOf(holds: Holds): 'entries' | 'nodes' {
  return holds === 'pods' ? 'entries' : 'nodes';
}

/** Owned, so that the garbage collector takes what we cannot. */
function belonging({ name, uid }: Tracked, holds: Holds) {
  return {
    labels: { [TRACKER_LABEL]: name, [HOLDS_LABEL]: holds, 'app.kubernetes.io/managed-by': 'podtrail' },
    ownerReferences: [{ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name, uid, controller: true }],
  };
}
