// Why pods left each node within a time: counts of causes. A cause takes several reads to find, so that this is bounded in
// time; what was not judged by then is counted without a cause.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import { type Cause, causesOf } from '../explain/index.ts';
import type { Departure } from '../model/pod-life.ts';
import { LARGEST_PAGE } from '../query/limits.ts';
import { isHolderVisible, type Visibility } from '../query/visibility.ts';
import { visibleSpan } from './visible-span.ts';

export interface NodeDepartures {
  readonly causes: Partial<Record<Cause, number>>;
  unjudged: number;
}

export interface DeparturesFound {
  readonly byNode: ReadonlyMap<string, NodeDepartures>;
  /** All of them were read, and judged. */
  readonly isComplete: boolean;
}

export interface DeparturesAsked {
  readonly span: Span;
  readonly namespace: string | undefined;
  readonly visibility: Visibility;
  /** Milliseconds that only go up: how long it may take. */
  readonly monotonic?: (() => number) | undefined;
}

const JUDGING_MS = 500;
/** More are not read: they are of a day of a very large cluster. */
const MOST_READ = 100_000;
const JUDGED_AT_ONCE = 64;

export async function readNodeDepartures(snapshot: Snapshot, question: DeparturesAsked): Promise<DeparturesFound> {
  const { span, visibility, monotonic = () => performance.now() } = question;
  const byNode = new Map<string, NodeDepartures>();
  if (span.to <= span.from) return { byNode, isComplete: true };
  const { departures, isAll } = await read(snapshot, question);
  for (const { pod } of departures) {
    const found = byNode.get(pod.node);
    if (found === undefined) byNode.set(pod.node, { causes: {}, unjudged: 1 });
    else found.unjudged++;
  }
  const until = monotonic() + JUDGING_MS;
  let judged = 0;
  while (judged < departures.length && monotonic() < until) {
    const some = departures.slice(judged, judged + JUDGED_AT_ONCE);
    judged += some.length;
    const causes = await causesOf(snapshot, { pods: some, visibility });
    for (const { departure, verdict } of causes.values()) {
      const found = byNode.get(departure.pod.node);
      if (found === undefined) continue;
      found.causes[verdict.cause] = (found.causes[verdict.cause] ?? 0) + 1;
      found.unjudged--;
    }
  }
  const expired = [...(await snapshot.expired('departure')), ...(await snapshot.expired())];
  const isExpired = expired.some(({ from, to }) => from < span.to && to > span.from);
  return { byNode, isComplete: isAll && judged === departures.length && !isExpired };
}

/** The last ones first: they say most about what is seen now. */
async function read(
  snapshot: Snapshot,
  { span, namespace, visibility }: DeparturesAsked,
): Promise<{ departures: Departure[]; isAll: boolean }> {
  const departures: Departure[] = [];
  const seen = visibleSpan(span, visibility, namespace);
  if (seen === undefined) return { departures, isAll: true };
  let cursor: string | undefined;
  do {
    const page = await snapshot.occurrences({ kind: 'departure', span: seen, page: { limit: LARGEST_PAGE, cursor } });
    for (const departure of page.items) {
      const { pod, at } = departure;
      const isWanted = namespace === undefined || pod.namespace === namespace;
      if (!isWanted || !isHolderVisible(visibility, pod, { notBefore: at })) continue;
      // Those of others are not counted: that there are many of them is nobody's business.
      if (departures.length === MOST_READ) return { departures: departures.reverse(), isAll: false };
      departures.push(departure);
    }
    cursor = page.cursor;
  } while (cursor !== undefined);
  return { departures: departures.reverse(), isAll: true };
}
