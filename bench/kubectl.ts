// What people wait for: `kubectl get tenures` beside `kubectl get pods` with as many rows, in turns, on a control plane
// whose operator serves the history. Starts a control plane of its own (needs Go once).
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ControlPlane, startControlPlane, until } from '@podtrail/e2e/controlplane';
import { BenchError, type Benchmark, wholeNumber } from './benchmark.ts';
import { median } from './median.ts';
import { table } from './table.ts';

const PODTRAIL = join(import.meta.dirname, '../packages/cli/src/main.ts');
const KUSTOMIZE = join(import.meta.dirname, '../deploy/kustomize/');
const PORT = '19445';
const NAMESPACE = 'bench';
/** Of the time of `kubectl get pods`. */
const MOST = 1.5;

export const kubectl: Benchmark = {
  name: 'kubectl',
  summary: 'kubectl get tenures beside kubectl get pods, with as many rows',
  options: {
    rows: { placeholder: 'N', help: 'pods of the cluster', fallback: '1000' },
    rounds: { placeholder: 'N', help: 'calls of each, in turns', fallback: '15' },
  },
  async run(values, session) {
    const rows = wholeNumber(values, 'rows', 1);
    const rounds = wholeNumber(values, 'rounds', 1);
    const directory = await mkdtemp(join(tmpdir(), 'podtrail-bench-kubectl-'));
    let operator: ChildProcess | undefined;
    session.log('Starting a control plane …');
    const plane = await startControlPlane({
      ...{ controllerManager: true, scheduler: true, kwok: { nodes: Math.ceil(rows / 100) + 1 }, audit: false },
    });
    try {
      operator = await serve(plane, directory);
      session.log(`Starting ${rows} pods …`);
      await start(plane, rows);
      return await measure(plane, rows, rounds, session.log);
    } finally {
      operator?.kill('SIGKILL');
      await plane.stop();
      await rm(directory, { recursive: true, force: true, maxRetries: 5 });
    }
  },
};

/** The operator on this machine; its Service leads here. */
async function serve(plane: ControlPlane, directory: string): Promise<ChildProcess> {
  await until('the manifests are applied', async () => (await plane.kubectl(['apply', '-k', KUSTOMIZE])) !== '');
  await plane.kubectl(['-n', 'podtrail', 'delete', 'statefulset', '--all']);
  await plane.kubectl(['-n', 'podtrail', 'delete', 'service', 'podtrail-history']);
  const external = ['--external-name=localhost', '--tcp=443'];
  await plane.kubectl(['-n', 'podtrail', 'create', 'service', 'externalname', 'podtrail-history', ...external]);
  const words = [
    ...['operator', '--kubeconfig', plane.adminKubeconfig, '--namespace', 'podtrail', '--no-conversion'],
    ...['--store', `sqlite:${join(directory, 'ledger.db')}`, '--metrics-port', '0', '--health-port', '0'],
    ...['--history', '--history-port', PORT, '--history-service-port', PORT, '--history-service-local'],
  ];
  return spawn(process.execPath, [PODTRAIL, ...words], { stdio: 'ignore' });
}

async function start(plane: ControlPlane, rows: number): Promise<void> {
  await plane.kubectl(['create', 'namespace', NAMESPACE]);
  const deployment = ['create', 'deployment', 'web', '--image=none', `--replicas=${rows}`];
  await plane.kubectl(['-n', NAMESPACE, ...deployment]);
  const path = `/apis/history.podtrail.dev/v1/namespaces/${NAMESPACE}/tenures`;
  await until(
    'all of them are recorded',
    async () => {
      let found = 0;
      let next = '';
      do {
        const { items, metadata } = (await plane.request(`${path}?limit=500&continue=${next}`)).json();
        found += items?.length ?? 0;
        next = metadata?.continue ?? '';
      } while (next !== '');
      return found === rows;
    },
    { withinMs: 300_000, everyMs: 1_000 },
  );
}

async function measure(plane: ControlPlane, rows: number, rounds: number, log: (text: string) => void) {
  const list = JSON.parse(await plane.kubectl(['-n', NAMESPACE, 'get', 'pods', '-o', 'json']));
  const [{ metadata, status }] = list.items;
  const pairs = {
    ip: [
      ['get', 'tenures', '-A', '--field-selector', `ip=${status.podIP}`],
      ['get', 'pods', '-A', '--field-selector', `metadata.name=${metadata.name}`],
    ],
    all: [
      ['-n', NAMESPACE, 'get', 'tenures'],
      ['-n', NAMESPACE, 'get', 'pods'],
    ],
  } as const;
  const report: Record<string, object> = {};
  const ratios: Record<string, number> = {};
  for (const [name, [ours, theirs]] of Object.entries(pairs)) {
    log(`${name}: ${rounds} rounds of kubectl ${ours.join(' ')} …`);
    const times: [number[], number[]] = [[], []];
    for (let round = 0; round <= rounds; round++) {
      const seen: number[] = [];
      for (const at of [0, 1] as const) {
        const begun = performance.now();
        const lines = (await plane.kubectl(at === 0 ? ours : theirs)).trimEnd().split('\n').length - 1;
        seen.push(lines);
        // The first round fills caches.
        if (round > 0) times[at].push(performance.now() - begun);
      }
      if (seen[0] !== seen[1]) throw new BenchError(`${seen[0]} tenures and ${seen[1]} pods were listed`);
      report[name] = { rows: seen[0] };
    }
    const [tenuresMs, podsMs] = [median(times[0]), median(times[1])];
    ratios[name] = tenuresMs / podsMs;
    report[name] = { ...report[name], tenuresMs, podsMs };
  }
  const shown = Object.entries(report).map(([name, of]) => {
    const { rows: count, tenuresMs, podsMs } = of as { rows: number; tenuresMs: number; podsMs: number };
    return [name, `${count}`, `${tenuresMs.toFixed(0)} ms`, `${podsMs.toFixed(0)} ms`, ratios[name]!.toFixed(2)];
  });
  return {
    report: { rows, rounds, ...report, ratios },
    table: table(['selected by', 'rows', 'tenures', 'pods', 'ratio'], shown),
    bars: Object.entries(ratios).map(([name, value]) => ({ what: `kubectl get tenures, ${name}`, value, bar: MOST })),
  };
}
