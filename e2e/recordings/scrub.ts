// What a recording leaves out of a run: what the ledger never reads, and what only makes it large. make.ts and cut.ts.
import type { KubeObject, WatchLine } from '../proof/nodes/run-folder.ts';

export function scrubbed(line: WatchLine): WatchLine | undefined {
  if (line.kind === 'Event') return undefined;
  if (line.type === 'LIST') return { ...line, items: line.items.map((item) => plain(line.kind, item)) };
  return 'object' in line ? { ...line, object: plain(line.kind, line.object) } : line;
}

/** Without who wrote which field, what a node has room for, and how a container is to be started. */
function plain(kind: string, object: KubeObject): KubeObject {
  const copy = structuredClone(object) as unknown as Plain;
  delete copy.metadata['managedFields'];
  if (kind === 'Node') {
    for (const field of ['images', 'capacity', 'allocatable', 'features', 'daemonEndpoints', 'runtimeHandlers']) {
      delete copy.status?.[field];
    }
  }
  if (kind === 'Pod' && copy.spec !== undefined) {
    const { nodeName, hostNetwork, restartPolicy, terminationGracePeriodSeconds } = copy.spec;
    copy.spec = { nodeName, hostNetwork, restartPolicy, terminationGracePeriodSeconds, containers: [] };
    for (const list of ['containerStatuses', 'initContainerStatuses']) {
      if (copy.status?.[list] === undefined) continue;
      copy.status[list] = (copy.status[list] as Record<string, unknown>[]).map(
        ({ name, state, lastState, ready, restartCount }) => ({ name, state, lastState, ready, restartCount }),
      );
    }
  }
  return copy as unknown as KubeObject;
}

interface Plain {
  readonly metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
  readonly status?: Record<string, unknown>;
}

/** The first characters of a sandbox's id tell it from all others. */
export function short<T extends { readonly sandbox: string }>(line: T): T {
  return { ...line, sandbox: line.sandbox.slice(0, 10) };
}
