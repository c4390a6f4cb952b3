// Evidence about the node of a pod: the day before its end, and which cordon and which taints stood when that day began, and
// whether it was not ready. A node may be cordoned on Friday and drained on Monday.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import type { Evidence } from '../model/evidence.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { inOrder, readEvidence, readShared } from './read-evidence.ts';
import { MINUTE_MS } from './traces.ts';

const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** So far back, one range after the other, each with the limit of one reading. The retention is 14 days by default. */
const BACKWARDS_MS = [DAY_MS, 4 * DAY_MS, 16 * DAY_MS, 64 * DAY_MS];

/** By snapshot, node and hour: what is drained ends together. */
const known = new WeakMap<Snapshot, Map<string, Promise<Evidence[]>>>();

/** In the order of time. */
export async function readNode(snapshot: Snapshot, node: string, { from, to }: Span): Promise<Evidence[]> {
  if (node === '') return [];
  const begin = Math.floor(from / HOUR_MS) * HOUR_MS;
  const nodes = known.get(snapshot) ?? new Map<string, Promise<Evidence[]>>();
  known.set(snapshot, nodes);
  const key = `${node} ${begin}`;
  const reading = nodes.get(key) ?? readStanding(snapshot, node, epochMillis(begin));
  nodes.set(key, reading);
  const span = { from: epochMillis(Math.max(0, begin)), to };
  // Waited for together: one that fails while nobody waits for it would end the process.
  const [before, recent] = await Promise.all([
    reading,
    readShared(snapshot, { by: 'name', namespace: '', name: node }, span, isOfNode),
  ]);
  const day = recent.filter(({ at }) => at >= from);
  return inOrder([...standing([...before, ...recent.filter(({ at }) => at < from)], day), ...day]);
}

async function readStanding(snapshot: Snapshot, node: string, until: EpochMillis): Promise<Evidence[]> {
  const subject = { by: 'name', namespace: '', name: node } as const;
  const found: Evidence[] = [];
  let to = until;
  for (const backMs of BACKWARDS_MS) {
    if (to <= 0) break;
    const from = epochMillis(Math.max(0, until - backMs));
    found.push(...(await readEvidence(snapshot, subject, { from, to }, isOfNode)));
    to = from;
  }
  return standing(inOrder(found), []);
}

const READY = 'Ready';

/** The last of each state that stands at the end of `before`. A node that was made again begins without them. */
function standing(before: readonly Evidence[], after: readonly Evidence[]): Evidence[] {
  const states = new Map<string, Evidence>();
  for (const one of before) {
    if (one.what === 'created' || one.what === 'deleted') states.clear();
    else if (one.what === 'cordoned') states.set('', one);
    else if (one.what === 'uncordoned') states.delete('');
    else if (one.what === 'tainted') states.set(one.reason, one);
    else if (one.what === 'untainted') states.delete(one.reason);
    else if (one.what === 'condition' && one.reason === 'Ready=True') states.delete(READY);
    else if (one.what === 'condition' && one.reason.startsWith('Ready=')) states.set(READY, one);
  }
  const isMadeAgain = after.some(({ what }) => what === 'created');
  return isMadeAgain ? [] : [...states.values()];
}

function isOfNode({ about }: Evidence): boolean {
  return about.kind === 'Node';
}
