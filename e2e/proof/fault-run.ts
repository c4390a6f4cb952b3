// `npm run proof -- faults`: one seed. A small simulated cluster lives violently behind a sandbox server whose
// switchboard plays faults; a recorder watches, is stopped and started; then the ledger is asked about instants whose
// truth is certain. The truth is the address pools' own book. Nodes are not lost here: what a kubelet does while nobody
// sees it, nobody can know, and no answer about it can be judged.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Engine, epochMillis, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { Client, loadClusterConfig } from '@podtrail/machinery';
import { Recorder } from '@podtrail/operator';
import {
  ApiServer,
  ChurnDriver,
  type Fault,
  FaultSwitchboard,
  SimulatedCluster,
  startSandboxServer,
  VIOLENT_CHURN,
  VirtualClock,
} from '@podtrail/sandbox';
import { type Answered, drawQuestions, isWrong } from './questions.ts';
import { Chance } from './random.ts';
import { randomFault } from './random-fault.ts';
import { TruthBook } from './truth.ts';

export interface FaultRunOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly questions: number;
  /** Restore etcd from a backup once on the way. */
  readonly rewinds: boolean;
}

export interface FaultRunResult {
  readonly seed: number;
  readonly lives: number;
  readonly answers: readonly Answered[];
  /** How often each kind of fault struck. */
  readonly struck: ReadonlyMap<string, number>;
  readonly restarts: number;
  readonly gaps: number;
  /** Questions that were not asked, because this machine was too slow to do then what the truth says was done. */
  readonly unasked: number;
  /** Answers that said of themselves that they may change; they are not judged. */
  readonly provisional: number;
  readonly truth: TruthBook;
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
/** Things happen so many times as often as in a violent cluster: a run is short. */
const HURRY = 4;
const NODES = 4;
const PODS = 40;
/** Events that never come are found by comparing with a listing; in production that is every ten minutes. */
const CONSISTENCY_MS = 3_000;
const SETTLE_MS = 60_000;
/** So late may a kubelet report: answers about pods are provisional until the watch has come so much further. */
const REPORTED_MS = 5_000;

export async function faultRun(options: FaultRunOptions): Promise<FaultRunResult> {
  const { seed } = options;
  const chance = new Chance(seed);
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-faults-'));
  await using _removed = { [Symbol.asyncDispose]: () => rm(directory, { recursive: true, force: true }) };
  const clock = new VirtualClock(Date.now() - 60_000);
  const api = new ApiServer({ clock, seed });
  const kind = { addressOrder: 'lowest', events: 'none', leases: true } as const;
  const cluster = new SimulatedCluster({ api, clock, seed, nodes: NODES, ...kind });
  cluster.populate({ pods: PODS, daemons: 1, namespaces: 3 });
  clock.advanceTo(Date.now());
  const struck = new Map<string, number>();
  const switchboard = new FaultSwitchboard({
    random: () => chance.next(),
    onStrike: ({ kind, times }) => {
      // Not the outage of a restore, which strikes as often as anybody asks.
      if (times !== Number.POSITIVE_INFINITY) struck.set(kind, (struck.get(kind) ?? 0) + 1);
    },
  });
  const server = await startSandboxServer({
    api,
    access: { tokens: { secret: 'recorder' } },
    bookmarkMillis: 2_000,
    faults: switchboard,
  });
  await using _closed = { [Symbol.asyncDispose]: () => server.close() };
  const kubeconfig = join(directory, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfig('recorder'));
  const store = `sqlite:${join(directory, 'ledger.db')}`;
  const id = api.get('namespaces', undefined, 'kube-system')?.metadata.uid ?? '';
  const recording = new Recording(kubeconfig, store, { id, name: 'faults' });
  await recording.start();
  const rates = Object.entries(VIOLENT_CHURN).filter(([kind]) => !kind.startsWith('node'));
  const hurried = Object.fromEntries(rates.map(([kind, ms]) => [kind, ms / HURRY]));
  const churn = new ChurnDriver({ cluster, seed, rates: hurried, outageMs: [2_000, 6_000], jobKeptSeconds: [1, 8] });
  clock.follow({ from: Date.now() });
  churn.start();
  const starvation = new Starvation();

  const from = Date.now();
  let compactedAt = 1;
  const compact = (): void => {
    compactedAt = Number(api.resourceVersion);
    api.compact();
  };
  /** Etcd is restored from a backup: nothing can be written or read meanwhile, and then versions are handed out again. */
  const rewind = async (): Promise<void> => {
    clock.stop();
    const away = switchboard.arm({ kind: 'break', on: {}, times: Number.POSITIVE_INFINITY });
    server.cutConnections();
    const lost = Math.floor(chance.between(60, 400));
    compactedAt = Math.max(compactedAt, Number(api.resourceVersion) - lost);
    api.rewind(compactedAt);
    await sleep(chance.between(1_000, 3_000));
    switchboard.disarm(away);
    clock.follow({ from: Date.now() });
    struck.set('rewind', (struck.get('rewind') ?? 0) + 1);
  };
  const plan = {
    ms: options.seconds * 1000,
    chance,
    switchboard,
    recording,
    compact,
    rewind: options.rewinds ? rewind : undefined,
  };
  const restarts = await injectFaults(plan);
  const to = Date.now();
  switchboard.clear();
  churn.stop();
  await recording.reaches(to + REPORTED_MS, SETTLE_MS);
  cluster.close();
  clock.stop();
  const engine = recording.engine;
  const truth = bookOf(cluster);
  const ips = [...new Set(truth.tenures.map(({ ip }) => ip))];
  starvation.end();
  const drawn = drawQuestions(truth, ips, { from: from + 2_000, to: to - 2_000 }, options.questions, chance);
  const questions = drawn.filter(({ at }) => !starvation.concerns(at));
  const answers: Answered[] = [];
  let provisional = 0;
  for (const question of questions) {
    const answer = await withSnapshot(engine, id, (snapshot) =>
      who(snapshot, { ip: parseIp(question.ip)!, at: epochMillis(question.at) }),
    );
    // The watch was still silent when the run ended: such an answer says itself that it may change.
    if (answer.provisional) {
      provisional++;
      continue;
    }
    const uids = answer.holders.map((holder) => holder.uid);
    const wrong = isWrong(question.truth, answer.answer, uids);
    answers.push({ ...question, answer: answer.answer, uids, reason: answer.reason, wrong });
  }
  const gaps = (await withSnapshot(engine, id, (snapshot) => snapshot.coverage())).filter(
    ({ opened }, n) => n > 0 && opened !== 'start',
  ).length;
  await recording.end();
  const unasked = drawn.length - questions.length;
  return { seed, lives: truth.tenures.length, answers, struck, restarts, gaps, unasked, provisional, truth };
}

/**
 * The simulation acts at the times of its clock; a process that gets no processor acts later than that, and the truth
 * would then be ahead of what it wrote. Such times are noticed, and not asked about.
 */
class Starvation {
  static readonly #LOOK_MS = 100;
  static readonly #TOLERATED_MS = 600;
  readonly #starved: { readonly from: number; readonly to: number }[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor() {
    let last = Date.now();
    this.#timer = setInterval(() => {
      const now = Date.now();
      if (now - last > Starvation.#LOOK_MS + Starvation.#TOLERATED_MS) this.#starved.push({ from: last, to: now });
      last = now;
    }, Starvation.#LOOK_MS);
  }

  /** What is written late is believed to have been reported within five seconds. */
  concerns(at: number): boolean {
    return this.#starved.some(({ from, to }) => at > from - 6_000 && at < to + 3_000);
  }

  end(): void {
    clearInterval(this.#timer);
  }
}

/** A recorder that can be stopped and started on one store. */
class Recording {
  readonly #kubeconfig: string;
  readonly #store: string;
  readonly #cluster: { readonly id: string; readonly name: string };
  #engine: Engine | undefined;
  #stop: (() => Promise<void>) | undefined;

  constructor(kubeconfig: string, store: string, cluster: { readonly id: string; readonly name: string }) {
    this.#kubeconfig = kubeconfig;
    this.#store = store;
    this.#cluster = cluster;
  }

  get engine(): Engine {
    if (this.#engine === undefined) throw new Error('the recorder is not running');
    return this.#engine;
  }

  async start(): Promise<void> {
    const engine = await openStore(this.#store, { access: 'write' });
    const client = Client.connect(await loadClusterConfig({ kubeconfig: this.#kubeconfig }));
    const recorder = await Recorder.open({
      ...{ client, engine, cluster: this.#cluster, collector: 'faults', consistencyMs: CONSISTENCY_MS },
    });
    const ending = new AbortController();
    const running = recorder.run(ending.signal);
    this.#engine = engine;
    this.#stop = async () => {
      ending.abort();
      await running;
      await client.close();
    };
  }

  async stop(): Promise<void> {
    await this.#stop?.();
    await this.#engine?.close();
    this.#stop = undefined;
    this.#engine = undefined;
  }

  /** Everything until then has been delivered to the ledger, or the time is up: what is not delivered is unknown, not wrong. */
  async reaches(time: number, withinMs: number): Promise<void> {
    for (const deadline = Date.now() + withinMs; Date.now() < deadline; await sleep(200)) {
      const coverage = await withSnapshot(this.engine, this.#cluster.id, (snapshot) => snapshot.coverage());
      if (coverage.some(({ from, confirmed, ended }) => !ended && confirmed > from && confirmed >= time)) return;
    }
  }

  async end(): Promise<void> {
    await this.stop();
  }
}

interface FaultPlan {
  readonly ms: number;
  readonly chance: Chance;
  readonly switchboard: FaultSwitchboard;
  readonly recording: Recording;
  readonly compact: () => void;
  readonly rewind: (() => Promise<void>) | undefined;
}

/** Faults every second or so, and the recorder away once or twice; returns how often. */
async function injectFaults({ ms, chance, switchboard, recording, compact, rewind }: FaultPlan): Promise<number> {
  const end = Date.now() + ms;
  let restarts = 0;
  let rewindAt = Date.now() + chance.between(0.2, 0.8) * ms;
  let away = Date.now() + chance.between(0.3, 0.6) * ms;
  while (Date.now() < end) {
    const fault: Fault = randomFault(chance);
    switchboard.arm(fault);
    await sleep(chance.between(300, 1_800));
    if (rewind !== undefined && Date.now() >= rewindAt) {
      rewindAt = Number.POSITIVE_INFINITY;
      await rewind();
    }
    if (Date.now() < away) continue;
    away = Date.now() + chance.between(0.4, 0.8) * ms;
    restarts++;
    await recording.stop();
    await sleep(chance.between(200, 5_000));
    // Half of the time what happened meanwhile can no longer be had.
    if (chance.next() < 0.5) compact();
    await recording.start();
  }
  return restarts;
}

function bookOf(cluster: SimulatedCluster): TruthBook {
  const book = new TruthBook();
  for (const { ip, uid, namespace, name, hostNetwork, from, to } of cluster.truth.tenures) {
    if (hostNetwork) continue;
    const start = { earliest: from, latest: from };
    const tenure = book.open({ ip, uid, pod: `${namespace}/${name}`, story: 'sandbox', start });
    if (to !== undefined) tenure.end = { earliest: to, latest: to };
  }
  return book;
}
