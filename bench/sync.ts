// `npm run bench -- sync`: what it costs to have every pod of a cluster in a cache, from the start of the process.
import { type Bar, BenchError, type Benchmark, wholeNumber } from './benchmark.ts';
import { median } from './median.ts';
import { type PeerEnd, type PeerResult, runPeer } from './peer-process.ts';
import {
  CLIENT_GO_JSON,
  CLIENT_GO_PROTOBUF,
  CLIENT_GO_STRIP,
  CLIENT_NODE,
  nodeSettings,
  OURS,
  type Peer,
  peersNamed,
  speaksAsNamed,
} from './peers.ts';
import { megabytes, table } from './table.ts';

const ALL = [OURS, CLIENT_GO_JSON, CLIENT_GO_PROTOBUF, CLIENT_GO_STRIP, CLIENT_NODE];
const CPU = { bar: 0.5, goal: 0.33 };
const RSS = { bar: 0.7, goal: 0.45 };
/** Of a cluster of 100,000 pods. */
const LARGE = { pods: 100_000, gigabytes: 1 };

export interface SyncRound {
  readonly peer: string;
  readonly round: number;
  readonly end: PeerEnd;
}

export const sync: Benchmark = {
  name: 'sync',
  summary: 'CPU and memory from the start of the process to a cache with every pod, beside client-go and client-node',
  options: {
    pods: { placeholder: 'N', help: 'pods in the cluster', fallback: '50000' },
    rounds: { placeholder: 'N', help: 'rounds; in each, every peer runs once', fallback: '3' },
    only: { placeholder: 'PEER,…', help: `of ${ALL.join(', ')}` },
    'node-flags': { placeholder: '"FLAGS"', help: 'V8 flags for ours in place of those that machinery recommends' },
  },
  async run(values, session) {
    const pods = wholeNumber(values, 'pods', 1);
    const rounds = wholeNumber(values, 'rounds', 1);
    const names = values['only']?.split(',') ?? ALL;
    const nodeFlags = values['node-flags'];
    peersNamed(names, { kubeconfig: '', programs: { load: '', sync: '' }, nodeFlags }); // typos, before minutes of filling
    const { kubeconfig } = await session.filledCluster(pods);
    const peers = peersNamed(names, { kubeconfig, programs: await session.goPrograms(), nodeFlags });
    const measured = await measure(peers, rounds, session.log);
    const cacheHash = requireSameWork(measured);
    const medians = mediansOf(measured);
    const ratios = ratiosOf(medians);
    return {
      report: { ratios, pods, cacheHash, ...nodeSettings(nodeFlags), medians, rounds: measured },
      table: render(names, measured, medians),
      bars: barsOf(ratios, pods, medians),
    };
  },
};

/** Interleaved, so that a slow minute of the machine falls on everyone. */
async function measure(peers: readonly Peer[], rounds: number, log: (text: string) => void): Promise<SyncRound[]> {
  const measured: SyncRound[] = [];
  const dead = new Set<string>();
  for (let round = 1; round <= rounds; round++) {
    for (const peer of peers) {
      if (dead.has(peer.name)) continue;
      const end = await runPeer(peer);
      measured.push({ peer: peer.name, round, end });
      log(`round ${round}, ${peer.name}: ${describe(end)}`);
      if (end.kind === 'finished') {
        const { contentType } = end.result;
        if (speaksAsNamed(peer, contentType)) continue;
        throw new BenchError(`${peer.name} was answered in '${contentType}', which is not ${peer.encoding}`);
      }
      if (!peer.mayDie) throw new BenchError(`${peer.name} did not finish: ${end.how}`);
      dead.add(peer.name); // it would die again
    }
  }
  return measured;
}

/** Both sides keep the same fields of the same pods, or the figures compare nothing. */
export function requireSameWork(measured: readonly SyncRound[]): string {
  const done = measured.flatMap(({ peer, end }) => (end.kind === 'finished' ? [{ peer, ...end.result }] : []));
  for (const { peer, pods, added } of done) {
    if (pods !== added) throw new BenchError(`${peer} holds ${pods} pods, but its handler was notified of ${added}`);
  }
  const [first] = done;
  const other = done.find(({ cacheHash }) => cacheHash !== first?.cacheHash);
  if (first === undefined || other === undefined) return first?.cacheHash ?? '';
  throw new BenchError(
    `NOT THE SAME WORK: the cache of ${first.peer} (${first.pods} pods) has the hash ${first.cacheHash}, ` +
      `that of ${other.peer} (${other.pods} pods) ${other.cacheHash}`,
  );
}

type Medians = Readonly<Record<string, Readonly<Record<'cpuSeconds' | 'peakRssBytes' | 'wallSeconds', number>>>>;

function mediansOf(measured: readonly SyncRound[]): Medians {
  const results = new Map<string, PeerResult[]>();
  for (const { peer, end } of measured) {
    if (end.kind === 'finished') results.set(peer, [...(results.get(peer) ?? []), end.result]);
  }
  return Object.fromEntries(
    [...results].map(([peer, of]) => [
      peer,
      {
        cpuSeconds: median(of.map((result) => result.cpuSeconds)),
        peakRssBytes: median(of.map((result) => result.peakRssBytes)),
        wallSeconds: median(of.map((result) => result.wallSeconds)),
      },
    ]),
  );
}

/** Ours to the best that Go users do; undefined when one of the two was not measured. */
function ratiosOf(medians: Medians): { readonly cpu: number; readonly rss: number } | undefined {
  const [ours, best] = [medians[OURS], medians[CLIENT_GO_STRIP]];
  if (ours === undefined || best === undefined) return undefined;
  return { cpu: ours.cpuSeconds / best.cpuSeconds, rss: ours.peakRssBytes / best.peakRssBytes };
}

function barsOf(ratios: ReturnType<typeof ratiosOf>, pods: number, medians: Medians): Bar[] {
  const bars: Bar[] = [];
  if (ratios !== undefined) {
    bars.push({ what: `CPU, ours / ${CLIENT_GO_STRIP}`, value: ratios.cpu, ...CPU });
    bars.push({ what: `peak RSS, ours / ${CLIENT_GO_STRIP}`, value: ratios.rss, ...RSS });
  }
  const ours = medians[OURS];
  if (pods >= LARGE.pods && ours !== undefined) {
    bars.push({ what: `peak RSS of ours at ${pods} pods, GB`, value: ours.peakRssBytes / 1e9, bar: LARGE.gigabytes });
  }
  return bars;
}

function render(names: readonly string[], measured: readonly SyncRound[], medians: Medians): string {
  const rows = names.map((name) => {
    const of = medians[name];
    const ends = measured.filter(({ peer }) => peer === name).map(({ end }) => end);
    const death = ends.find((end) => end.kind === 'died');
    if (of === undefined) {
      const peak = death === undefined ? '' : megabytes(death.peakRssBytes);
      return [name, 'dies', peak, death?.wallSeconds.toFixed(1) ?? '', death?.how ?? ''];
    }
    const all = ends.flatMap((end) => (end.kind === 'finished' ? [end.result.cpuSeconds.toFixed(2)] : []));
    return [name, of.cpuSeconds.toFixed(2), megabytes(of.peakRssBytes), of.wallSeconds.toFixed(1), all.join(' ')];
  });
  return table(['to a synced cache', 'CPU s (median)', 'peak RSS', 'wall s', 'CPU s of the rounds'], rows);
}

function describe(end: PeerEnd): string {
  if (end.kind === 'died') return `died after ${end.wallSeconds.toFixed(1)} s: ${end.how}`;
  const { pods, cpuSeconds, peakRssBytes, wallSeconds } = end.result;
  return `${pods} pods, ${cpuSeconds.toFixed(2)} CPU s, ${megabytes(peakRssBytes)}, ${wallSeconds.toFixed(1)} s`;
}
