// `npm run proof -- truth`: pods live and die on a real control plane, a recorder watches, and then the ledger is asked
// thousands of questions whose answers are known. With --faults, recorder and control plane are killed on the way.
import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { epochMillis, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { startControlPlane, until } from '../controlplane/index.ts';
import { AddressPool } from './address-pool.ts';
import { makeOutages, type Outage } from './outages.ts';
import { PodDriver } from './pod-driver.ts';
import { createProofNode, NODE, NODE_IP } from './proof-node.ts';
import { type Answered, drawQuestions, isWrong } from './questions.ts';
import { Chance } from './random.ts';
import { RecorderProcess } from './recorder-process.ts';
import { TruthBook } from './truth.ts';

export interface TruthRunOptions {
  readonly seed: number;
  readonly lives: number;
  readonly questions: number;
  readonly faults: boolean;
  /** Where truth, questions and answers are kept. */
  readonly out: string;
  readonly log: (line: string) => void;
}

export interface TruthRunResult {
  readonly lives: number;
  readonly asked: number;
  readonly wrong: number;
  readonly counts: Readonly<Record<Answered['answer'], number>>;
  /** Of these, about an address whose holder had just been deleted by force: what rightly stays in doubt for a while. */
  readonly forced: Readonly<Record<Answered['answer'], number>>;
  readonly outages: readonly Outage[];
  readonly gaps: readonly { readonly from: number; readonly to: number }[];
}

/** A forced deletion's network stood for 3.7 s at most on real nodes; the ledger allows 5.5 s. And a second's rounding. */
const FORCED_MS = 6_500;

/** What happened last is known when the node's Lease has been renewed once more, and read. */
const SETTLE_MS = 22_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export async function truthRun(options: TruthRunOptions): Promise<TruthRunResult> {
  const { log } = options;
  await mkdir(options.out, { recursive: true });
  log('starting a control plane …');
  await using plane = await startControlPlane({ audit: false });
  const store = `sqlite:${join(plane.directory, 'ledger.db')}`;
  const recorder = new RecorderProcess(plane.adminKubeconfig, store);
  recorder.start();
  await using _ended = { [Symbol.asyncDispose]: () => recorder.kill() };
  const { uid } = ((await plane.request('/api/v1/namespaces/kube-system')).json() as { metadata: { uid: string } })
    .metadata;
  const engine = await until('the recorder has made its store', () => openStore(store, { access: 'read' }));
  await using _closed = { [Symbol.asyncDispose]: () => engine.close() };
  await until(
    'the recorder watches',
    async () => (await withSnapshot(engine, uid, (snapshot) => snapshot.coverage())).length > 0,
  ).catch((error) => {
    throw new Error(`the recorder did not start; it said:\n${recorder.said}`, { cause: error });
  });

  const chance = new Chance(options.seed);
  const truth = new TruthBook();
  const pool = new AddressPool(40, chance);
  await using _node = await createProofNode((path, request) => plane.request(path, request));
  const driver = new PodDriver({
    request: (path, request) => plane.request(path, request),
    namespace: 'default',
    node: NODE,
    nodeIp: NODE_IP,
    pool,
    truth,
    chance,
    lifeSeconds: { least: 1, most: 6 },
  });
  const from = Date.now();
  const disturbance = options.faults ? makeOutages(plane, recorder, new Chance(options.seed + 1), log) : undefined;
  await driveLives(driver, options.lives, chance, disturbance, log);
  const outages = (await disturbance) ?? [];
  const to = Date.now();
  await until(
    'the ledger is well beyond the end of the run',
    async () =>
      (await withSnapshot(engine, uid, (snapshot) => snapshot.coverage())).some(
        (coverage) => coverage.confirmed >= to + SETTLE_MS,
      ),
    { withinMs: 120_000 },
  );

  log(`asking ${options.questions} questions about ${driver.lives} lives in ${((to - from) / 1000).toFixed(0)} s …`);
  const ips = pool.all.flatMap(({ v4, v6 }) => [v4, v6]);
  const span = { from: from + 2_000, to: to - 3_000 };
  const questions = drawQuestions(truth, ips, span, options.questions, new Chance(options.seed + 2));
  const answers: Answered[] = [];
  for (const question of questions) {
    const answer = await withSnapshot(engine, uid, (snapshot) =>
      who(snapshot, { ip: parseIp(question.ip)!, at: epochMillis(question.at) }),
    );
    const uids = answer.holders.map((holder) => holder.uid);
    const wrong = isWrong(question.truth, answer.answer, uids);
    answers.push({ ...question, answer: answer.answer, uids, reason: answer.reason, wrong });
  }
  await writeLines(join(options.out, 'truth.jsonl'), truth.tenures);
  await writeLines(join(options.out, 'outages.jsonl'), outages);
  await writeLines(join(options.out, 'answers.jsonl'), answers);
  const counts = { held: 0, free: 0, ambiguous: 0, unknown: 0 };
  const forced = { ...counts };
  for (const { answer, ip, at } of answers) {
    counts[answer]++;
    if (truth.wasForced(ip, at, FORCED_MS)) forced[answer]++;
  }
  return {
    lives: driver.lives,
    asked: answers.length,
    wrong: answers.filter((answer) => answer.wrong).length,
    counts,
    forced,
    outages,
    gaps: gapsBetween(
      (await withSnapshot(engine, uid, (snapshot) => snapshot.coverage())).filter(({ scope }) => scope.kind !== 'pods'),
    ),
  };
}

/** What lies between two stretches of watching. */
function gapsBetween(coverage: readonly { readonly from: number; readonly to: number }[]): TruthRunResult['gaps'] {
  const found: { from: number; to: number }[] = [];
  for (const [index, { from }] of coverage.entries()) {
    const before = coverage[index - 1];
    if (before !== undefined && from > before.to) found.push({ from: before.to, to: from });
  }
  return found;
}

/** Lives overlap as far as there are addresses; with outages planned, they go on until it is over. */
async function driveLives(
  driver: PodDriver,
  lives: number,
  chance: Chance,
  disturbance: Promise<unknown> | undefined,
  log: (line: string) => void,
): Promise<void> {
  let isDisturbed = disturbance !== undefined;
  void disturbance?.finally(() => {
    isDisturbed = false;
  });
  const living = new Set<Promise<unknown>>();
  let failure: unknown;
  let reported = 0;
  while ((driver.lives < lives || isDisturbed) && failure === undefined) {
    const life: Promise<unknown> = driver
      .live()
      .catch((error) => {
        failure = error;
      })
      .finally(() => living.delete(life));
    living.add(life);
    await sleep(chance.between(20, 200));
    if (driver.lives >= reported + 100) log(`${(reported = driver.lives)} lives`);
  }
  await Promise.all(living);
  if (failure !== undefined) throw failure;
}

async function writeLines(path: string, records: readonly object[]): Promise<void> {
  const stream = createWriteStream(path);
  for (const record of records) stream.write(`${JSON.stringify(record)}\n`);
  await new Promise<void>((resolve, reject) =>
    stream.end((error?: Error | null) => (error ? reject(error) : resolve())),
  );
}
