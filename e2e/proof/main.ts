// `npm run proof -- truth|faults|nodes|bits|attack|causes|requests [options]`
import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { missingForRealNodes } from '../realnodes/index.ts';
import { type AttackProof, proveAttack } from './attack.ts';
import { type BitsProof, proveBits } from './bits.ts';
import { type CausesProof, proveCauses, writePage } from './causes.ts';
import { type FaultRunsResult, faultRuns } from './fault-runs.ts';
import { type NodesResult, report } from './nodes/judge-run.ts';
import { judgeStore, nodesRun, replayRun } from './nodes/nodes-run.ts';
import { proveRequests, type RequestsProof } from './requests.ts';
import { type TruthRunResult, truthRun } from './truth-run.ts';

const HELP = `usage: npm run proof -- truth|faults|nodes|bits|attack|causes|requests [options]

Pods live and die while a recorder watches; then the ledger is asked who held which address when, at instants whose
truth is certain by two seconds. Exit code 1 if a single answer is wrong.

truth: on a real control plane (built once; needs Go)
  --lives N        pods, at least (default 800)
  --questions N    (default 10000)
  --faults         kill the recorder five times, the API server once, and compact etcd

faults: on the sandbox, without a control plane, with random faults of every kind
  --seeds N        so many runs (default 10)
  --seconds N      of each (default 30)
  --questions N    of each (default 400)
  --parallel N     so many at a time (default 4)
  --no-rewinds     do not restore etcd from a backup once in each run

nodes: on real nodes (kubelet, containerd, CNI; built once; needs Go, root and Linux), judged against the addresses that
were reserved and the packets that pods sent, 1 s away from every change and right beside them
  --minutes N      of churn (default 12)
  --nodes N        (default 2)
  --addresses N    for all pods, so that they are used again soon (default 28)
  --questions N    of each of four kinds (default 5000)
  --pod-cidrs      every node has a range of its own instead, with so many addresses
  --kubelet X.Y    an older kubelet (1.33, 1.34, 1.35) on the last node; may be repeated. Each is built once, on the
                   first use: about ten minutes
  --kills N        kill the recorder so often (default 0)
  --calm           nothing happens to whole nodes
  --mechanisms A,B only these
  --peers          kube-state-metrics and Prometheus beside it, scraped every 15 s and 30 s (built and downloaded once)
  --replay DIR     judge a kept run again, with the ledger as it is now
  --recorded DIR   judge what the recorder of a kept run wrote

bits: on stores alone, which are damaged at random: bits, ranges and pages of head, log and week files, and files that
change places. Exit code 1 if an answer is wrong and not unknown, or if verify does not report what changed one
  --mutations N    (default 2000)
  --no-checks      without checksums, to show that the run would notice: exit code 1 if it notices nothing

attack: on a real control plane; hostile clients on the conversion and probe ports of an operator while 20 pods change
each second. Exit code 1 if the ledger lags by more than a second (p99), the lease is lost, memory grows by more than
100 MB, or three probes in a row are not answered
  --seconds N      of the attack (default 60)
  --clients N      at a time (default 200)

causes: on a real control plane with its controllers and kwok nodes; pods are made to end for every cause that can be
provoked there, in a shuffled order, half of them beside others. Exit code 1 if one is explained wrongly, or if one was
never carried out to its end; how often one was not is counted apart
  --repeat N       each of them (default 3)
  --parallel N     so many at a time (default 4)
  --all-overlap    none runs alone, and no round waits for the one before
  --real-nodes N   on so many real nodes (at least 2) instead of kwok's; needs what "nodes" needs
  --only A,B       only causes and provocations with these words in their names
  --page FILE      keep the result in e2e/causes/results (that of --only beside the others), and write docs/causes.md
                   from all results there
  --within N       begin nothing more after so many minutes
  --no-audit       do not judge each pod once more with the audit log of the API server
  --no-run         only write that page

requests: on podtrail serve and on the aggregated API, without a control plane; requests that are right, nearly right and
nonsense. Exit code 1 if one of them ends, does not answer, answers with a 5xx that is not 503, or believes forged headers
  --requests N     (default 1000000)

all:
  --seed N         what is drawn: lives, addresses, faults, questions; of several runs the first (default: printed)
  --out DIR        keep truth, answers and what was wrong here (default: a new temporary folder)
  --json FILE      the result
`;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  allowNegative: true,
  options: {
    seed: { type: 'string' },
    seeds: { type: 'string', default: '10' },
    seconds: { type: 'string' },
    clients: { type: 'string', default: '200' },
    repeat: { type: 'string', default: '3' },
    only: { type: 'string' },
    page: { type: 'string' },
    'real-nodes': { type: 'string' },
    run: { type: 'boolean', default: true },
    audit: { type: 'boolean', default: true },
    within: { type: 'string' },
    parallel: { type: 'string', default: '4' },
    'all-overlap': { type: 'boolean', default: false },
    lives: { type: 'string', default: '800' },
    questions: { type: 'string' },
    faults: { type: 'boolean', default: false },
    rewinds: { type: 'boolean', default: true },
    mutations: { type: 'string', default: '2000' },
    requests: { type: 'string', default: '1000000' },
    checks: { type: 'boolean', default: true },
    minutes: { type: 'string', default: '12' },
    nodes: { type: 'string', default: '2' },
    addresses: { type: 'string', default: '28' },
    'pod-cidrs': { type: 'boolean', default: false },
    kubelet: { type: 'string', multiple: true, default: [] },
    kills: { type: 'string', default: '0' },
    calm: { type: 'boolean', default: false },
    peers: { type: 'boolean', default: false },
    mechanisms: { type: 'string' },
    replay: { type: 'string' },
    recorded: { type: 'string' },
    out: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
const [proof] = positionals;

if (values.help || proof === 'help' || proof === undefined) {
  process.stdout.write(HELP);
  process.exit(0);
}
const PROOFS = { truth: proveTruth, faults: proveFaults, nodes: proveNodes, bits, attack, causes, requests };
if (!isProof(proof)) {
  process.stderr.write(`There is no proof called "${proof}". npm run proof -- help lists them.\n`);
  process.exit(2);
}

const seed = values.seed === undefined ? Date.now() % 1_000_000 : count('seed', values.seed);
const out = values.out ?? (await mkdtemp(join(tmpdir(), 'podtrail-proof-')));
await mkdir(out, { recursive: true });
const log = (line: string): void => void process.stderr.write(`${line}\n`);
log(`seed ${seed}; what is kept goes to ${out}`);
const result = await PROOFS[proof]();
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ seed, ...result }, null, 2)}\n`);
const hasShownAll = !('neverCarriedOut' in result) || result.neverCarriedOut.length === 0;
process.exitCode = result.wrong === 0 && hasShownAll ? 0 : 1;

function isProof(name: string): name is keyof typeof PROOFS {
  return Object.hasOwn(PROOFS, name);
}

function attack(): Promise<AttackProof> {
  const seconds = count('seconds', values.seconds ?? '60');
  const clients = count('clients', values.clients);
  return proveAttack({ seed, seconds, clients, out, log }, (text) => void process.stdout.write(text));
}

async function causes(): Promise<CausesProof> {
  const repeat = count('repeat', values.repeat);
  const parallel = count('parallel', values.parallel);
  const { page } = values;
  if (!values.run) {
    await writePage(page ?? 'docs/causes.md');
    return { pods: 0, wrong: 0, unknown: 0, notCarriedOut: 0, neverCarriedOut: [] };
  }
  const realNodes = values['real-nodes'] === undefined ? undefined : count('real-nodes', values['real-nodes']);
  if (realNodes !== undefined) requireRealNodes();
  if (realNodes === 1) {
    process.stderr.write('--real-nodes 1 is too few: one node is shared, and something happens to the others.\n');
    process.exit(2);
  }
  const minutes = values.within === undefined ? undefined : count('within', values.within);
  const { audit } = values;
  const only = values.only?.split(',');
  const allOverlap = values['all-overlap'];
  const options = { seed, repeat, parallel, allOverlap, realNodes, minutes, audit, only, page, out, log };
  return await proveCauses(options, (text) => void process.stdout.write(text));
}

function bits(): Promise<BitsProof> {
  const mutations = count('mutations', values.mutations);
  const options = { seed, mutations, checks: values.checks, out, log };
  return proveBits(options, (text) => void process.stdout.write(text));
}

function requests(): Promise<RequestsProof> {
  const options = { seed, requests: count('requests', values.requests), out, log };
  return proveRequests(options, (text) => void process.stdout.write(text));
}

async function proveTruth(): Promise<TruthRunResult> {
  const lives = count('lives', values.lives);
  const questions = count('questions', values.questions ?? '10000');
  const run = await truthRun({ seed, lives, questions, faults: values.faults, out, log });
  process.stdout.write(reportTruth(run));
  return run;
}

async function proveFaults(): Promise<FaultRunsResult> {
  const seeds = Array.from({ length: count('seeds', values.seeds) }, (_, n) => seed + n);
  const seconds = count('seconds', values.seconds ?? '30');
  const questions = count('questions', values.questions ?? '400');
  const parallel = count('parallel', values.parallel);
  const { rewinds } = values;
  const runs = await faultRuns({ seeds, seconds, questions, parallel, rewinds, out, log });
  process.stdout.write(reportFaults(runs));
  return runs;
}

async function proveNodes(): Promise<NodesResult> {
  const questions = count('questions', values.questions ?? '5000');
  const judged = { seed, questions, peers: values.peers, out, log };
  const result = await judgeNodes(judged);
  process.stdout.write(report(result));
  log(`every wrong one with its story: ${join(out, 'wrong.txt')}`);
  return result;
}

async function judgeNodes(judged: Parameters<typeof replayRun>[1]): Promise<NodesResult> {
  if (values.replay !== undefined) return replayRun(values.replay, judged);
  if (values.recorded !== undefined) return judgeStore(values.recorded, judged);
  requireRealNodes();
  return nodesRun({
    ...judged,
    minutes: count('minutes', values.minutes),
    nodes: count('nodes', values.nodes),
    addresses: count('addresses', values.addresses),
    kills: values.kills === '0' ? 0 : count('kills', values.kills),
    podCidrs: values['pod-cidrs'],
    kubelets: values.kubelet,
    mechanisms: values.mechanisms?.split(','),
    ...(values.calm ? { nodeEvents: [] } : {}),
  });
}

function requireRealNodes(): void {
  const missing = missingForRealNodes();
  if (missing === undefined) return;
  process.stderr.write(`${missing}\n`);
  process.exit(1);
}

function reportTruth({ lives, asked, wrong, counts, forced, outages, gaps }: TruthRunResult): string {
  const lines = [
    `${lives} pod lives, ${asked} questions, ${wrong} wrong`,
    shares(counts, asked),
    `of the ambiguous, ${forced.ambiguous} within 6.5 s after a deletion by force: nothing says when such an address is released`,
    ...outages.map(({ what, from, to }) => `${what} for ${((to - from) / 1000).toFixed(1)} s`),
    ...gaps.map(({ from, to }) => `gap of ${((to - from) / 1000).toFixed(1)} s`),
  ];
  return `${lines.join('\n')}\n`;
}

function reportFaults(runs: FaultRunsResult): string {
  const faults = Object.entries(runs.struck).sort(([, a], [, b]) => b - a);
  const lines = [
    `seeds ${seed} to ${seed + runs.seeds - 1}: ${runs.lives} pod lives, ${runs.asked} questions, ${runs.wrong} wrong`,
    shares(runs.counts, runs.asked),
    `${runs.restarts} restarts of the recorder, ${runs.gaps} gaps`,
    `not judged: ${runs.provisional} provisional answers; not asked: ${runs.unasked}, because the machine was too slow then`,
    `faults that struck: ${faults.map(([kind, times]) => `${kind} ${times}`).join(', ')}`,
    ...(runs.wrongSeeds.length === 0 ? [] : [`wrong: seeds ${runs.wrongSeeds.join(', ')}; see ${out}`]),
  ];
  return `${lines.join('\n')}\n`;
}

function shares(counts: TruthRunResult['counts'], asked: number): string {
  const share = (kind: keyof typeof counts): string => `${kind} ${((counts[kind] / asked) * 100).toFixed(2)} %`;
  return `${share('held')}, ${share('free')}, ${share('ambiguous')}, ${share('unknown')}`;
}

function count(flag: string, text: string): number {
  if (/^\d+$/.test(text) && (Number(text) > 0 || flag === 'seed')) return Number(text);
  process.stderr.write(`--${flag} ${text} is not a whole number above 0.\n`);
  process.exit(2);
}
