// `npm run proof -- attack`: the operator as a process on a real control plane, with hostile clients on the ports that
// anybody in a cluster can reach, while pods change. Measured from outside: how late the ledger is, whether the lease
// was kept, whether probes were answered, how much memory the operator and its conversion process have.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Engine, epochMillis, openStore, parseIp, withSnapshot } from '@podtrail/history';
import { type ControlPlane, startControlPlane, until } from '../controlplane/index.ts';
import { install, OperatorReplica } from '../operator-stage.ts';
import { forEach, Hand } from '../podtracker-stage.ts';
import { type Resident, residentBytes } from './resident-memory.ts';

export interface AttackRunOptions {
  readonly seed: number;
  readonly seconds: number;
  readonly clients: number;
  /** Where the operator's log is kept. */
  readonly out: string;
  readonly log: (line: string) => void;
}

export interface AttackRunResult {
  readonly changes: number;
  /** From the API server's answer to the ledger's, milliseconds. */
  readonly lag: { readonly p50: number; readonly p99: number; readonly most: number };
  /** The same before the attack. */
  readonly lagBefore: { readonly p50: number; readonly p99: number; readonly most: number };
  /** Never older than it may be, and never anybody else's. */
  readonly leaseKept: boolean;
  readonly probes: { readonly asked: number; readonly answered: number; readonly mostMissedInARow: number };
  /** Reads of v1alpha1 through the API server, by an honest client. */
  readonly conversions: { readonly asked: number; readonly answered: number };
  /** Of the operator and its conversion process together; `own`: of the operator alone, at the same times. */
  readonly rssMegabytes: {
    readonly before: number;
    readonly most: number;
    readonly growth: number;
    readonly own: { readonly before: number; readonly most: number };
  };
  readonly restarts: number;
  readonly visits: Readonly<Record<string, number>>;
}

/** What must hold. */
const BARS = { lagP99Ms: 1_000, rssGrowthMegabytes: 100, missedProbesInARow: 2 };

const PODS = 100;
const CHANGES_PER_SECOND = 20;
/** A recorder that has just started has not used the memory yet that it will use without any attack. */
const WARM_UP_MS = 20_000;
const MEGABYTE = 1 << 20;
const CLIENTS = fileURLToPath(new URL('./hostile-clients.ts', import.meta.url));

export async function attackRun({ seed, seconds, clients, out, log }: AttackRunOptions): Promise<AttackRunResult> {
  await using cleanup = new AsyncDisposableStack();
  const stage = { after: (done: () => Promise<unknown>) => void cleanup.defer(async () => void (await done())) };
  log('starting a control plane and an operator …');
  const plane = cleanup.use(await startControlPlane({ audit: false, controllerManager: true }));
  await install(plane);
  const words = ['--conversion-url', 'https://127.0.0.1'];
  const store = `sqlite:${join(out, 'ledger.db')}`;
  const operator = await OperatorReplica.start(stage, plane, 'attacked', { words, store });
  await operator.untilReady();
  await operator.untilLeads();
  const hand = await Hand.of(stage, plane);
  await hand.createNode('node-1');
  await forEach(
    Array.from({ length: PODS }, (_, i) => i),
    (i) => hand.createPod('default', `web-${i}`, 'node-1', `10.1.0.${i}`),
  );
  await hand.createTracker('web');
  await until('v1alpha1 is served', () => isConverted(plane), { withinMs: 120_000 });
  const engine = await openStore(store, { access: 'read' });
  cleanup.defer(() => engine.close());
  const cluster = await clusterId(plane);

  const warmUp = new Changes(hand, engine, cluster, 0);
  const watched = watchMemory(operator);
  const before = await warmUp.during(WARM_UP_MS);
  const rssBefore = watched.most();
  const [probe, conversion] = [portOf(operator.address('health')), await conversionPort(plane)];
  log(`${clients} hostile clients for ${seconds} s on ports ${conversion} (conversion) and ${probe} (probes) …`);

  const attack = fork(CLIENTS, wordsOf({ conversion, probe, clients, seconds, seed }), { silent: true, execArgv: [] });
  cleanup.defer(async () => void attack.kill('SIGKILL'));
  // They are on machines of their own in a real cluster; here they share the cores with what they attack.
  setPriority(attack.pid as number, 10);
  let said = '';
  attack.stdout?.setEncoding('utf8').on('data', (text: string) => (said += text));
  let failed = '';
  attack.stderr?.setEncoding('utf8').on('data', (text: string) => (failed += text));
  const stop = new AbortController();
  const asked = [
    probing(operator, stop.signal),
    converting(plane, stop.signal),
    renewing(operator, plane, stop.signal),
  ] as const;
  const changes = new Changes(hand, engine, cluster, 1);
  const during = changes.during(seconds * 1_000);
  await once(attack, 'exit');
  const lags = await during;
  stop.abort();
  const [probes, conversions, leaseKept] = await Promise.all(asked);
  const rssMost = watched.most();
  if (said === '') throw new Error(`the hostile clients ended early:\n${failed}`);

  return {
    changes: lags.length,
    lag: summary(lags),
    lagBefore: summary(before),
    leaseKept,
    probes,
    conversions,
    rssMegabytes: {
      before: megabytes(rssBefore.all),
      most: megabytes(rssMost.all),
      growth: megabytes(rssMost.all - rssBefore.all),
      own: { before: megabytes(rssBefore.own), most: megabytes(rssMost.own) },
    },
    restarts: operator.log.filter(({ problem }) => String(problem).includes('is started again')).length,
    visits: JSON.parse(said) as Record<string, number>,
  };
}

/** The bars that were missed, as sentences. */
export function missedBars({ lag, leaseKept, rssMegabytes, probes }: AttackRunResult): string[] {
  return [
    ...(lag.p99 <= BARS.lagP99Ms ? [] : [`the recorder's lag was ${lag.p99} ms at p99, above ${BARS.lagP99Ms} ms`]),
    ...(leaseKept ? [] : ['the lease was lost']),
    ...(rssMegabytes.growth <= BARS.rssGrowthMegabytes
      ? []
      : [`memory grew by ${rssMegabytes.growth} MB, more than ${BARS.rssGrowthMegabytes} MB`]),
    ...(probes.mostMissedInARow <= BARS.missedProbesInARow
      ? []
      : [`${probes.mostMissedInARow} probes in a row were not answered: a kubelet would have restarted it`]),
  ];
}

/** Gives pods new addresses, and looks when the ledger has them. */
class Changes {
  readonly #hand: Hand;
  readonly #engine: Engine;
  readonly #cluster: string;
  /** So that no address comes twice. */
  readonly #block: number;
  /** By address: when the API server had taken it. */
  readonly #pending = new Map<string, number>();
  readonly #lags: number[] = [];

  constructor(hand: Hand, engine: Engine, cluster: string, block: number) {
    this.#hand = hand;
    this.#engine = engine;
    this.#cluster = cluster;
    this.#block = block;
  }

  /** Resolves with the lag of every change, once all are in the ledger or a minute has passed. */
  async during(ms: number): Promise<number[]> {
    const looking = new AbortController();
    const looked = this.#look(looking.signal);
    const begun = performance.now();
    const writes: Promise<void>[] = [];
    for (let n = 0; n < (ms / 1_000) * CHANGES_PER_SECOND; n++) {
      writes.push(this.#change(n));
      await sleep(Math.max(0, begun + ((n + 1) * 1_000) / CHANGES_PER_SECOND - performance.now()));
    }
    await Promise.all(writes);
    await until('all changes are in the ledger', () => this.#pending.size === 0).catch(() => undefined);
    looking.abort();
    await looked;
    const now = performance.now();
    return [...this.#lags, ...[...this.#pending.values()].map((at) => now - at)];
  }

  async #change(n: number): Promise<void> {
    const ip = `10.${2 + this.#block}.${n >> 8}.${n & 255}`;
    await this.#hand.setStatus('default', `web-${n % PODS}`, ip, 'Running');
    this.#pending.set(ip, performance.now());
  }

  async #look(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const ips = [...this.#pending.keys()];
      const at = epochMillis(Date.now());
      const moments = ips.map((ip) => ({ ip: parseIp(ip)!, at }));
      const found =
        moments.length === 0
          ? []
          : await withSnapshot(this.#engine, this.#cluster, (snapshot) => snapshot.tenuresAtMany(moments));
      const now = performance.now();
      for (const [i, ip] of ips.entries()) {
        if ((found[i] ?? []).length === 0) continue;
        this.#lags.push(now - (this.#pending.get(ip) ?? now));
        this.#pending.delete(ip);
      }
      await sleep(20);
    }
  }
}

/** As a kubelet does, and more often: once a second, two seconds of patience. */
async function probing(operator: OperatorReplica, signal: AbortSignal): Promise<AttackRunResult['probes']> {
  const url = operator.address('health').replace('/readyz', '/livez');
  let [asked, answered, missed, mostMissedInARow] = [0, 0, 0, 0];
  while (!signal.aborted) {
    asked++;
    const isAnswered = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      ({ status }) => status === 200,
      () => false,
    );
    if (isAnswered) answered++;
    missed = isAnswered ? 0 : missed + 1;
    mostMissedInARow = Math.max(mostMissedInARow, missed);
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
  return { asked, answered, mostMissedInARow };
}

async function converting(plane: ControlPlane, signal: AbortSignal): Promise<AttackRunResult['conversions']> {
  let [asked, answered] = [0, 0];
  while (!signal.aborted) {
    asked++;
    if (await isConverted(plane).catch(() => false)) answered++;
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
  return { asked, answered };
}

async function isConverted(plane: ControlPlane): Promise<boolean> {
  const path = '/apis/podtrail.dev/v1alpha1/podtrackers/web';
  return (await plane.request(path, { timeoutMs: 15_000 })).status === 200;
}

function watchMemory({ process: { process: child } }: OperatorReplica) {
  let most: Resident = { own: 0, all: 0 };
  const timer = setInterval(async () => {
    const now = await residentBytes(child.pid as number);
    if (now.all > most.all) most = now;
  }, 250);
  timer.unref();
  return { most: () => most };
}

/** What the definition says that API servers are to call. */
async function conversionPort(plane: ControlPlane): Promise<number> {
  const definition = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/podtrackers.podtrail.dev';
  return portOf((await plane.request(definition)).json().spec.conversion.webhook.clientConfig.url);
}

/** Looks at the lease once a second: an operator that stands still does not renew it. */
async function renewing(operator: OperatorReplica, plane: ControlPlane, signal: AbortSignal): Promise<boolean> {
  let kept = true;
  while (!signal.aborted) {
    const leases = (await plane.request('/apis/coordination.k8s.io/v1/namespaces/podtrail/leases')).json().items;
    const { renewTime, leaseDurationSeconds, leaseTransitions = 0 } = leases[0].spec;
    const isRenewed = Date.now() - Date.parse(renewTime) <= leaseDurationSeconds * 1_000;
    kept &&= leases.length === 1 && isRenewed && leaseTransitions === 0;
    await sleep(1_000, undefined, { signal }).catch(() => undefined);
  }
  const { exitCode, signalCode } = operator.process.process;
  return kept && exitCode === null && signalCode === null && (await operator.leads());
}

async function clusterId(plane: ControlPlane): Promise<string> {
  return (await plane.request('/api/v1/namespaces/kube-system')).json().metadata.uid;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE);
}

function portOf(url: string): number {
  return Number(new URL(url).port);
}

function wordsOf(options: Readonly<Record<string, number>>): string[] {
  return Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
}

function summary(lags: readonly number[]): AttackRunResult['lag'] {
  const sorted = lags.toSorted((a, b) => a - b);
  const at = (share: number): number =>
    Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0);
  return { p50: at(0.5), p99: at(0.99), most: at(1) };
}
