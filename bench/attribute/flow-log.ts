// A flow log of a made-up cluster, from a seed: rows in the order of time but for some jitter, few addresses with most of
// the rows and many with few, as networks have it. Most are of pods that lived at the time of the row; nodes, services,
// addresses of the outside and addresses of the pool that nobody may have held come in between.
import { open } from 'node:fs/promises';
import { epochMillis, parseIp, type StoredFact } from '@podtrail/history';
import { Chance, type HistoryShape, type MadeLife, madeHistory } from '../store/made-history.ts';

export interface LogShape {
  readonly rows: number;
  readonly from: number;
  readonly to: number;
  /** CSV with such times, or a VPC flow log of version 2. */
  readonly times: 'rfc3339' | 'epoch' | 'vpc';
}

const HEADER = 'start,src_addr,src_port,dst_addr,dst_port,protocol,packets,bytes,action\n';
const VPC_HEADER =
  'version account-id interface-id srcaddr dstaddr srcport dstport protocol packets bytes start end action log-status\n';
const LONGEST_FLOW_SECONDS = 60;
const JITTER_MS = 4000;
const SERVICES = 2000;
const OUTSIDE = 50_000;
const AGENTS_PER_NODE = 3;
const ROWS_PER_WRITE = 20_000;

/** Holders that the made-up lives lack: nodes with agents on their network, and services. All last to the present. */
export function nodesAndServices({ nodes, weeks, until }: HistoryShape): StoredFact[] {
  const start = boundaryAt(until - (weeks + 2) * 7 * 86_400_000);
  const facts: StoredFact[] = [];
  for (let i = 0; i < nodes; i++) {
    const node = `ip-10-${i}.eu-central-1.compute.internal`;
    const holder = { kind: 'Node', namespace: '', name: node, uid: `node-${i}`, node } as const;
    const rest = { workload: undefined, hostNetwork: false };
    facts.push({
      kind: 'tenure',
      tenure: { ip: parseIp(nodeIp(i))!, holder: { ...holder, ...rest }, start, end: undefined },
    });
    for (let agent = 0; agent < AGENTS_PER_NODE; agent++) {
      const names = {
        kind: 'Pod',
        namespace: 'kube-system',
        name: `agent-${agent}-${i}`,
        uid: `agent-${agent}-${i}`,
      } as const;
      const workload = { kind: 'DaemonSet', name: `agent-${agent}`, inferred: false };
      facts.push({
        kind: 'placement',
        placement: { pod: { ...names, node, workload, hostNetwork: true }, start, end: undefined },
      });
    }
  }
  for (let i = 0; i < SERVICES; i++) {
    const holder = { kind: 'Service', namespace: `team-${i % 40}`, name: `service-${i}`, uid: `service-${i}` } as const;
    const rest = { node: '', workload: undefined, hostNetwork: false };
    facts.push({
      kind: 'tenure',
      tenure: { ip: parseIp(serviceIp(i))!, holder: { ...holder, ...rest }, start, end: undefined },
    });
  }
  return facts;
}

/** The lives that touch a span, in the order of their beginnings. */
export function livesWithin(shape: HistoryShape, from: number, to: number): MadeLife[] {
  const found: MadeLife[] = [];
  for (const life of madeHistory(shape)) {
    if (life.tenure.start.at < to && life.tenure.end!.at > from) found.push(life);
  }
  return found.sort((a, b) => a.tenure.start.at - b.tenure.start.at);
}

/** Returns its size. */
export async function writeFlowLog(
  path: string,
  lives: readonly MadeLife[],
  { nodes, addresses, seed }: HistoryShape,
  { rows, from, to, times }: LogShape,
): Promise<number> {
  const chance = new Chance(seed + 7);
  const alive = new AliveNow(lives, chance);
  const file = await open(path, 'w');
  let text = times === 'vpc' ? VPC_HEADER : HEADER;
  let bytes = 0;
  try {
    for (let i = 0; i < rows; i++) {
      const at = from + Math.floor(((to - from) * i) / rows) + chance.below(JITTER_MS);
      const life = alive.pick(at);
      const kind = chance.below(100);
      let ip: string = life?.tenure.ip ?? poolIp(chance.below(addresses));
      if (kind < 8) ip = nodeIp(ranked(chance, nodes));
      else if (kind < 18) ip = serviceIp(ranked(chance, SERVICES));
      else if (kind < 27) ip = outsideIp(ranked(chance, OUTSIDE));
      else if (kind < 30) ip = poolIp(chance.below(addresses));
      const time = times === 'epoch' ? (at / 1000).toFixed(3) : new Date(at).toISOString();
      const packets = 1 + chance.below(400);
      const start = Math.floor(at / 1000);
      if (times === 'vpc')
        text += `2 123456789010 eni-0f${1000 + chance.below(1000)} ${ip} ${serviceIp(ranked(chance, SERVICES))} ${1024 + chance.below(60_000)} 443 6 ${packets} ${packets * (60 + chance.below(1400))} ${start} ${start + chance.below(LONGEST_FLOW_SECONDS)} ACCEPT OK\n`;
      else
        text += `${time},${ip},${1024 + chance.below(60_000)},${serviceIp(ranked(chance, SERVICES))},443,6,${packets},${packets * (60 + chance.below(1400))},ACCEPT\n`;
      if (i % ROWS_PER_WRITE === 0 || i === rows - 1) {
        bytes += (await file.write(text)).bytesWritten;
        text = '';
      }
    }
  } finally {
    await file.close();
  }
  return bytes;
}

/** The pods that live as time goes by; a place among them is how much they talk. */
class AliveNow {
  readonly #coming: readonly MadeLife[];
  readonly #chance: Chance;
  readonly #alive: MadeLife[] = [];
  #next = 0;

  constructor(coming: readonly MadeLife[], chance: Chance) {
    this.#coming = coming;
    this.#chance = chance;
  }

  pick(at: number): MadeLife | undefined {
    const alive = this.#alive;
    for (let life = this.#coming[this.#next]; life !== undefined && life.tenure.start.at <= at; ) {
      const place = this.#chance.below(alive.length + 1);
      alive.push(alive[place] ?? life);
      alive[place] = life;
      life = this.#coming[++this.#next];
    }
    while (alive.length > 0) {
      const place = ranked(this.#chance, alive.length);
      const life = alive[place]!;
      if (life.tenure.end!.at > at) return life;
      const last = alive.pop()!;
      if (place < alive.length) alive[place] = last;
    }
    return undefined;
  }
}

/** Below `count`, and n half as often as n/2: Zipf's law, near enough. */
function ranked(chance: Chance, count: number): number {
  return Math.min(count - 1, Math.floor((count + 1) ** (chance.bits() / 2 ** 32)) - 1);
}

const nodeIp = (i: number): string => `192.168.${i >>> 8}.${i & 255}`;
const serviceIp = (i: number): string => `172.20.${i >>> 8}.${i & 255}`;
const outsideIp = (i: number): string => `203.${i >>> 16}.${(i >>> 8) & 255}.${i & 255}`;
const poolIp = (i: number): string => `10.${64 + (i >>> 16)}.${(i >>> 8) & 255}.${i & 255}`;

function boundaryAt(time: number) {
  const at = epochMillis(time);
  const provenance = {
    source: 'watch',
    epoch: 1,
    resourceVersion: '1',
    observedAt: at,
    collector: 'recorder-0',
  } as const;
  return { at, notBefore: at, notAfter: at, ...provenance };
}
