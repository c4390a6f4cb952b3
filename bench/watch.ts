// `npm run bench -- watch`: what one event of a watch costs once the cache is in step, at a steady rate of changes.
import { BenchError, type Benchmark, wholeNumber } from './benchmark.ts';
import { type GoPrograms, runLoader } from './cluster/go-programs.ts';
import { median } from './median.ts';
import type { FollowedEvents } from './ours/follow-events.ts';
import { PeerProcess, type PeerResult } from './peer-process.ts';
import { CLIENT_GO_PROTOBUF, CLIENT_GO_STRIP, nodeSettings, OURS, type Peer, peersNamed } from './peers.ts';
import { megabytes, table } from './table.ts';

const PEERS = [OURS, CLIENT_GO_PROTOBUF, CLIENT_GO_STRIP];
const BAR = { bar: 1, goal: 0.7 };
/** After the sync, so that its garbage is not counted against the events. */
const SETTLE_MS = 3_000;

interface WatchRound extends FollowedEvents {
  readonly peer: string;
  readonly round: number;
  readonly microsecondsPerEvent: number;
}

interface Touched {
  readonly touched: number;
  readonly seconds: number;
}

export const watch: Benchmark = {
  name: 'watch',
  summary: 'CPU for each event of a watch, at a steady rate of changes to a cluster full of pods',
  options: {
    pods: { placeholder: 'N', help: 'pods in the cluster', fallback: '50000' },
    rounds: { placeholder: 'N', help: 'rounds; in each, every peer runs once', fallback: '3' },
    rate: { placeholder: 'N', help: 'changes a second', fallback: '400' },
    seconds: { placeholder: 'N', help: 'how long each peer follows', fallback: '30' },
    'node-flags': { placeholder: '"FLAGS"', help: 'V8 flags for ours in place of those that machinery recommends' },
  },
  async run(values, session) {
    const pods = wholeNumber(values, 'pods', 1);
    const rounds = wholeNumber(values, 'rounds', 1);
    const rate = wholeNumber(values, 'rate', 1);
    const seconds = wholeNumber(values, 'seconds', 1);
    const nodeFlags = values['node-flags'];
    const { kubeconfig } = await session.filledCluster(pods);
    const programs = await session.goPrograms();
    const touchArgs = ['--kubeconfig', kubeconfig, '--pods', pods, '--rate', rate, '--seconds', seconds].map(String);
    const measured: WatchRound[] = [];
    for (let round = 1; round <= rounds; round++) {
      // One after the other: on few cores peers that run together would measure each other.
      for (const peer of peersNamed(PEERS, { kubeconfig, programs, nodeFlags })) {
        const followed = await follow(peer, programs, touchArgs);
        const microsecondsPerEvent = (followed.cpuSeconds / followed.events) * 1e6;
        measured.push({ peer: peer.name, round, ...followed, microsecondsPerEvent });
        session.log(
          `round ${round}, ${peer.name}: ${followed.events} events, ${microsecondsPerEvent.toFixed(0)} µs of CPU each`,
        );
      }
    }
    const medians = Object.fromEntries(
      PEERS.map((name) => [name, median(roundsOf(measured, name).map((round) => round.microsecondsPerEvent))]),
    );
    const ratios = {
      cpuPerEvent: medians[OURS]! / medians[CLIENT_GO_PROTOBUF]!,
      cpuPerEventToStrip: medians[OURS]! / medians[CLIENT_GO_STRIP]!,
    };
    return {
      report: { ratios, pods, rate, seconds, ...nodeSettings(nodeFlags), medians, rounds: measured },
      table: render(measured, medians),
      bars: [{ what: `CPU for each event, ours / ${CLIENT_GO_PROTOBUF}`, value: ratios.cpuPerEvent, ...BAR }],
    };
  },
};

async function follow(peer: Peer, programs: GoPrograms, touchArgs: readonly string[]): Promise<FollowedEvents> {
  const run = new PeerProcess(peer, ['--follow']);
  if (await run.ready) {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    run.send('start');
    const { touched } = await runLoader<Touched>(programs, 'touch', touchArgs);
    run.send(`stop ${touched}`);
    const end = await run.ended;
    if (end.kind === 'finished') return requireAll(peer, end.result, touched);
  }
  const end = await run.ended;
  throw new BenchError(`${peer.name} did not finish: ${end.kind === 'died' ? end.how : 'it never became ready'}`);
}

function requireAll(peer: Peer, { followed }: PeerResult, touched: number): FollowedEvents {
  if (followed?.events === touched) return followed;
  throw new BenchError(`${peer.name} counted ${followed?.events ?? 0} events of ${touched} changes`);
}

function roundsOf(measured: readonly WatchRound[], name: string): WatchRound[] {
  return measured.filter(({ peer }) => peer === name);
}

function render(measured: readonly WatchRound[], medians: Readonly<Record<string, number>>): string {
  const rows = PEERS.map((name) => {
    const of = roundsOf(measured, name);
    const perEvent = of.map((round) => round.microsecondsPerEvent.toFixed(0));
    const rss = megabytes(median(of.map((round) => round.rssBytes)));
    return [name, medians[name]!.toFixed(0), String(of[0]?.events ?? 0), rss, perEvent.join(' ')];
  });
  return table(['following', 'CPU µs / event (median)', 'events', 'RSS', 'µs of the rounds'], rows);
}
