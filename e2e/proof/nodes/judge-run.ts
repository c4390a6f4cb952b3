// Asks a ledger about a run on real nodes and counts: for addresses and packets, one second away from every change and
// right beside them, by mechanism; beside it a live table that was asked 2 s and 30 s after each packet, and Prometheus
// where it was there.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type DoubtCode, type Engine, epochMillis, parseIp, who, withDoubts, withSnapshot } from '@podtrail/history';
import { Chance } from '../random.ts';
import { LiveTable } from './live-table.ts';
import { SCRAPED_EVERY_S, type ScrapedHistory } from './metrics-peer.ts';
import {
  drawAddresses,
  drawPackets,
  type GivenAnswer,
  judge,
  type NodeQuestion,
  undecidedBy,
  type Verdict,
} from './node-questions.ts';
import type { PhysicalTruth } from './physical-truth.ts';
import { describeWrong, readWords } from './stories.ts';

export type Counts = Record<Verdict, number>;
/** Why answers decided nothing, and how many. */
export type Reasons = Record<string, number>;

export interface JudgedSet {
  readonly name: string;
  readonly asked: number;
  readonly counts: Counts;
  /** Of the wrong ones: about a reservation that outlived its network although its kubelet was back. */
  readonly leaked: number;
  /** Of the wrong ones: nobody was named, and somebody had it. */
  readonly nobody: number;
  /** Nobody who reads only the API could have decided so many. */
  readonly undecidable: number;
  /** Wrong if "held" meant that the network stood, whatever was reserved. */
  readonly wrongByNetwork: number;
  readonly byMechanism: Readonly<Record<string, Counts>>;
  /** Of what was not decided, by mechanism. */
  readonly undecided: Readonly<Record<string, Reasons>>;
}

export interface NodesResult {
  readonly tenures: number;
  readonly sets: readonly JudgedSet[];
  readonly peers: readonly JudgedSet[];
  /** At a margin of one second, without the leaks that no word of the API shows. */
  readonly wrong: number;
  readonly stories: readonly string[];
}

const MARGINS_MS = [1_000, 0] as const;

/** For the table of what the API cannot decide. */
const IN_WORDS: Readonly<Record<DoubtCode, string>> = {
  'node-address': 'the address of a node',
  'several-showed-it': 'several pods showed it at once',
  imported: 'known from an import',
  'address-never-shown': 'the pod never showed its address',
  'address-not-proven': 'shown while the sandbox was replaced',
  'start-not-seen': 'there when recording began',
  'start-not-exact': 'when the network came up is known to seconds only; before 1.36 to the first container only',
  'deleted-not-confirmed': 'deleted before its kubelet had confirmed the end; longer where the node is away',
  'sandbox-lost': 'the sandbox was lost or replaced, or the node booted',
  'end-not-seen': 'missing in a listing after a gap',
  'end-not-exact': 'when the network went is known to seconds only',
  'end-not-confirmed': 'the last word did not say that the network was gone',
};

export async function judgeRun(
  directory: string,
  truth: PhysicalTruth,
  engine: Engine,
  cluster: string,
  options: {
    readonly questions: number;
    readonly seed: number;
    readonly out?: string;
    /** The peer that was scraped, where there was one. */
    readonly scraped?: ScrapedHistory | undefined;
  },
): Promise<NodesResult> {
  const { questions, seed, scraped } = options;
  const sets: JudgedSet[] = [];
  const peers: JudgedSet[] = [];
  const words = await readWords(directory);
  const table = await LiveTable.read(directory);
  const stories: string[] = [];
  const asking =
    (seen: boolean) =>
    async ({ ip, at }: NodeQuestion): Promise<GivenAnswer> => {
      const question = { ip: parseIp(ip)!, at: epochMillis(at), seen };
      const { answer, holders, reason } = await withSnapshot(engine, cluster, async (snapshot) =>
        withDoubts(snapshot, await who(snapshot, question)),
      );
      const why = answer === 'unknown' ? [reason ?? ''] : holders.flatMap((holder) => holder.why?.code ?? []);
      return { answer, uids: holders.map(({ uid }) => uid), why };
    };
  let wrong = 0;
  for (const [index, margin] of MARGINS_MS.entries()) {
    for (const [kind, draw] of [
      ['addresses', drawAddresses],
      ['packets', drawPackets],
    ] as const) {
      const chance = new Chance(seed + index * 2 + (kind === 'packets' ? 1 : 0));
      const drawn = draw(truth, questions, margin, chance);
      const name = `${kind}, margin ${margin / 1000} s`;
      // A packet shows that its address was in use; whoever asks about it may say so.
      for (const seen of kind === 'packets' ? [false, true] : [false]) {
        const called = seen ? `${name}, as traffic` : name;
        const set = await count(called, drawn, asking(seen), (question, given) => {
          stories.push(`[${called}] ${describeWrong(question, given, truth, words)}`);
        });
        sets.push(set);
        if (margin > 0) wrong += set.counts.wrong - set.leaked;
      }
      if (kind === 'addresses') continue;
      for (const seconds of [2, 30]) {
        const later = async ({ ip, at }: NodeQuestion) => table.ask(ip, at + seconds * 1000);
        peers.push(
          await count(`live table, packets, margin ${margin / 1000} s, asked ${seconds} s later`, drawn, later),
        );
      }
      for (const every of scraped === undefined ? [] : SCRAPED_EVERY_S) {
        const asked = async ({ ip, at }: NodeQuestion) => await (scraped as ScrapedHistory).ask(ip, at, every);
        peers.push(
          await count(`kube_pod_info, packets, margin ${margin / 1000} s, scraped every ${every} s`, drawn, asked),
        );
      }
    }
  }
  if (options.out !== undefined)
    await writeFile(join(options.out, 'wrong.txt'), stories.map((story) => `${story}\n\n`).join(''));
  return { tenures: truth.reservations.length, sets, peers, wrong, stories };
}

async function count(
  name: string,
  questions: readonly NodeQuestion[],
  ask: (question: NodeQuestion) => Promise<GivenAnswer>,
  onWrong: (question: NodeQuestion, given: GivenAnswer) => void = () => {},
): Promise<JudgedSet> {
  const counts = none();
  const byMechanism: Record<string, Counts> = {};
  const undecided: Record<string, Reasons> = {};
  let [leaked, nobody, wrongByNetwork] = [0, 0, 0];
  for (const question of questions) {
    const given = await ask(question);
    const verdict = judge(question, given);
    counts[verdict]++;
    byMechanism[question.mechanism] ??= none();
    (byMechanism[question.mechanism] as Counts)[verdict]++;
    if (verdict === 'ambiguous' || verdict === 'unknown') {
      undecided[question.mechanism] ??= {};
      const reasons = undecided[question.mechanism] as Reasons;
      const why = undecidedBy(question, given);
      reasons[why] = (reasons[why] ?? 0) + 1;
    }
    if (verdict === 'wrong') onWrong(question, given);
    if (verdict === 'wrong' && question.leaked) leaked++;
    if (verdict === 'wrong' && given.answer === 'free') nobody++;
    const byNetwork = question.networkGone ? judge({ ...question, truth: [] }, given) : verdict;
    if (byNetwork === 'wrong') wrongByNetwork++;
  }
  const undecidable = questions.filter((question) => question.undecidable).length;
  const apart = { leaked, nobody, undecidable, wrongByNetwork };
  return { name, asked: questions.length, counts, ...apart, byMechanism, undecided };
}

function none(): Counts {
  return { right: 0, wrong: 0, ambiguous: 0, unknown: 0 };
}

/** The tables, as they are printed. */
export function report({ tenures, sets, peers, stories }: NodesResult, storiesShown = 10): string {
  const lines = [`${tenures} reservations`];
  for (const set of [...sets, ...peers]) {
    const most = ((1 - set.undecidable / Math.max(1, set.asked)) * 100).toFixed(1);
    const apart = `  leaked ${set.leaked}, wrong by network ${set.wrongByNetwork}, decidable at most ${most} %`;
    const isOurs = sets.includes(set) && set.name.startsWith('addresses');
    const nobody = sets.includes(set) ? '' : `  named nobody ${share(set.nobody, set.asked)}`;
    lines.push(row(`${set.name} (${set.asked})`, set.counts, 58) + (isOurs ? apart : nobody));
  }
  for (const set of sets) {
    lines.push('', `${set.name}, by mechanism`);
    const rows = Object.entries(set.byMechanism).sort(([, a], [, b]) => b.wrong - a.wrong || sum(b) - sum(a));
    for (const [mechanism, counts] of rows)
      lines.push(row(`  ${mechanism}`, counts, 30) + reasonsText(set.undecided[mechanism]));
    lines.push(
      '  not decided, in all:',
      ...inAll(set).map(([why, n]) => `    ${why.padEnd(24)} ${share(n, set.asked)}  ${inWords(why)}`),
    );
  }
  if (stories.length > 0)
    lines.push('', `${stories.length} wrong; the first ${storiesShown}:`, ...stories.slice(0, storiesShown));
  return `${lines.join('\n')}\n`;
}

/** The most frequent first. */
function ordered(reasons: Reasons): [string, number][] {
  return Object.entries(reasons).sort(([, a], [, b]) => b - a);
}

function reasonsText(reasons: Reasons = {}): string {
  const all = ordered(reasons).map(([why, n]) => `${why} ${n}`);
  return all.length === 0 ? '' : `  (${all.join(', ')})`;
}

function inAll({ undecided }: JudgedSet): [string, number][] {
  const all: Reasons = {};
  for (const reasons of Object.values(undecided))
    for (const [why, n] of Object.entries(reasons)) all[why] = (all[why] ?? 0) + n;
  return ordered(all);
}

function inWords(why: string): string {
  return Object.hasOwn(IN_WORDS, why) ? IN_WORDS[why as DoubtCode] : '';
}

function share(n: number, of: number): string {
  return `${String(n).padStart(5)} (${((n / Math.max(1, of)) * 100).toFixed(1)} %)`;
}

function row(name: string, counts: Counts, width: number): string {
  const total = sum(counts);
  const cell = (verdict: Verdict): string => `${verdict} ${share(counts[verdict], total)}`;
  return `${name.padEnd(width)} ${(['right', 'wrong', 'ambiguous', 'unknown'] as const).map(cell).join('  ')}`;
}

function sum(counts: Counts): number {
  return counts.right + counts.wrong + counts.ambiguous + counts.unknown;
}
