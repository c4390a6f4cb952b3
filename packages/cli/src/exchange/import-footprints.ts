// Footprint lines (pod, node, address, time) from other tools, as evidence of low confidence: somebody saw the pod with
// the address at some instants, nobody says what was in between. So a footprint makes a candidate ("ambiguous"), never
// a holder, and never says that a time was watched. Where the ledger watched for itself it knows better.
import {
  type Boundary,
  type Cluster,
  type Coverage,
  type Engine,
  epochMillis,
  type Holder,
  type IpAddress,
  parseIp,
  type StoredFact,
  withSnapshot,
} from '@podtrail/history';
import { parseTime } from '../times/parse-time.ts';
import { UTC } from '../times/zone.ts';

export interface ImportedFootprints {
  readonly lines: number;
  /** Lines that say nothing: no address, a pod that has ended, or no footprint at all. */
  readonly skipped: number;
  /** Lines of times that the ledger itself watched. */
  readonly watched: number;
  readonly facts: number;
}

interface Sightings {
  readonly ip: IpAddress;
  readonly holder: Holder;
  first: number;
  last: number;
}

/** Sightings further apart are not taken for one stay. */
const LONGEST_SILENCE_MS = 3_600_000;
/** Times of footprints are whole seconds. */
const RESOLUTION_MS = 1000;
const BATCH = 2000;

export function isFootprint(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'pod_name' in value && 'timestamp' in value;
}

export async function importFootprints(
  engine: Engine,
  cluster: Cluster,
  lines: AsyncIterable<string> | Iterable<string>,
): Promise<ImportedFootprints> {
  const writer = await engine.takeOver(cluster);
  const coverage = await withSnapshot(engine, cluster.id, (snapshot) => snapshot.coverage());
  const open = new Map<string, Sightings>();
  const counts = { lines: 0, skipped: 0, watched: 0, facts: 0 };
  let batch: StoredFact[] = [];
  const flush = async () => {
    if (batch.length > 0) await writer.append({ facts: batch });
    counts.facts += batch.length;
    batch = [];
  };
  for await (const line of lines) {
    if (line.trim() === '') continue;
    counts.lines++;
    const sightings = readFootprint(line);
    if (sightings.length === 0) counts.skipped++;
    else if (isWatched(coverage, sightings[0]?.first ?? 0)) counts.watched++;
    else {
      for (const sighting of sightings) {
        const key = `${sighting.holder.uid}|${sighting.ip}`;
        const before = open.get(key);
        if (
          before !== undefined &&
          sighting.first - before.last <= LONGEST_SILENCE_MS &&
          sighting.first >= before.first
        ) {
          before.last = Math.max(before.last, sighting.last);
          continue;
        }
        if (before !== undefined) batch.push(tenureOf(before));
        open.set(key, sighting);
      }
    }
    if (batch.length >= BATCH) await flush();
  }
  for (const sightings of open.values()) batch.push(tenureOf(sightings));
  await flush();
  return counts;
}

/** One for each address; none when the line says nothing about who has one. */
function readFootprint(line: string): Sightings[] {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return [];
  }
  if (!isFootprint(value)) return [];
  const field = (name: string): string => (typeof value[name] === 'string' ? value[name] : '');
  const namespace = field('namespace');
  const name = field('pod_name');
  const node = field('node_name');
  const seen = parseTime(field('timestamp'), 0, UTC);
  // A pod that has ended still shows its address, which may be another's by now.
  const ended = field('phase') === 'Succeeded' || field('phase') === 'Failed';
  if (name === '' || !seen.ok || ended) return [];
  const many = value['pod_ips'];
  const texts: unknown[] = Array.isArray(many) && many.length > 0 ? many : [field('pod_ip')];
  return texts.flatMap((text) => {
    const ip = typeof text === 'string' ? parseIp(text) : undefined;
    if (ip === undefined) return [];
    // Without a UID, the same name on another node or with another address is taken for another pod.
    const uid = field('uid') || `footprint:${namespace}/${name}/${node}/${ip}`;
    const holder: Holder = {
      kind: 'Pod',
      namespace,
      name,
      uid,
      node,
      workload: workloadOf(value['workload']),
      // The lines of other tools do not say.
      hostNetwork: value['host_network'] === true,
    };
    return [{ ip, holder, first: seen.at, last: seen.at }];
  });
}

function workloadOf(value: unknown): Holder['workload'] {
  const [kind, name] = typeof value === 'string' ? value.split('/') : [];
  if (kind !== undefined && name !== undefined) return { kind, name, inferred: false };
  const { kind: k, name: n } = (value ?? {}) as { kind?: unknown; name?: unknown };
  return typeof k === 'string' && typeof n === 'string' ? { kind: k, name: n, inferred: false } : undefined;
}

function isWatched(coverage: readonly Coverage[], at: number): boolean {
  return coverage.some(({ scope, from, to }) => scope.kind === 'cluster' && from <= at && at <= to);
}

/** Bounds as wide as the sightings: a candidate at every instant of them, a certain holder at none. */
function tenureOf({ ip, holder, first, last }: Sightings): StoredFact {
  const end = last + RESOLUTION_MS;
  const boundary = (at: number): Boundary => ({
    at: epochMillis(at),
    notBefore: epochMillis(first),
    notAfter: epochMillis(end),
    source: 'import',
    epoch: 0,
    resourceVersion: String(first),
    observedAt: epochMillis(last),
    collector: 'footprints',
  });
  return { kind: 'tenure', tenure: { ip, holder, start: boundary(first), end: boundary(last) } };
}
