// The story of a wrong answer, for a person: what the ledger said, what was so, and what the API had said of those pods.
import type { GivenAnswer, NodeQuestion } from './node-questions.ts';
import type { PhysicalTruth, Reservation } from './physical-truth.ts';
import { readLines, type WatchLine } from './run-folder.ts';

export interface Word {
  readonly at: number;
  readonly text: string;
}

/** What the API said of each pod, in few words. */
export async function readWords(directory: string): Promise<Map<string, Word[]>> {
  const words = new Map<string, Word[]>();
  for await (const line of readLines<WatchLine>(directory, 'watch')) {
    if (line.kind !== 'Pod' || !('object' in line)) continue;
    const { metadata } = line.object;
    const reports = words.get(metadata.uid) ?? [];
    reports.push({ at: line.at, text: `${line.type} ${inWords(line.object as PodObject)}` });
    words.set(metadata.uid, reports);
  }
  return words;
}

interface PodObject {
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly deletionGracePeriodSeconds?: number;
  };
  readonly status?: {
    readonly phase?: string;
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

function inWords({ metadata, status }: PodObject): string {
  const condition = (type: string): string => status?.conditions?.find((it) => it.type === type)?.status ?? '-';
  const deleted = metadata.deletionTimestamp === undefined ? '' : ` deleting(${metadata.deletionGracePeriodSeconds})`;
  const network = condition('PodReadyToStartContainers');
  return `${status?.phase} ip=${status?.podIP ?? '-'} network=${network} ready=${condition('Ready')}${deleted}`;
}

export function describeWrong(
  question: NodeQuestion,
  given: GivenAnswer,
  truth: PhysicalTruth,
  words: ReadonlyMap<string, readonly Word[]>,
): string {
  const { ip, at, kind, mechanism } = question;
  const holder = truth.holderAt(ip, at);
  const near = holder ?? truth.of(ip).findLast(({ from }) => from <= at);
  const uids = new Set([...question.truth, ...given.uids]);
  const lines = [
    `${kind} ${ip} at ${new Date(at).toISOString()} (${mechanism}): said ${given.answer} ${given.uids.join(',')}`,
    `  truth: ${question.truth.length === 0 ? 'nobody' : question.truth.join(',')}`,
    ...(near === undefined ? [] : [`  book:  ${reservation(near, at)}`]),
  ];
  for (const uid of uids) {
    const said = (words.get(uid) ?? []).filter((word) => Math.abs(word.at - at) < 20_000).slice(0, 14);
    lines.push(`  ${uid}:`, ...said.map((word) => `    ${relative(word.at, at)} ${word.text}`));
  }
  const done = truth.actions.filter(
    (action) =>
      Math.abs(action.at - at) < 60_000 &&
      (action.pod === near?.pod ||
        (action.node !== undefined && action.node === near?.node && action.until !== undefined)),
  );
  for (const { at: when, until, what, node, pod } of done) {
    const end = until === undefined ? '' : ` to ${relative(until, at)}`;
    lines.push(`  done:  ${relative(when, at)}${end} ${what} ${pod ?? node ?? ''}`);
  }
  return lines.join('\n');
}

function reservation({ pod, node, from, to, up, down }: Reservation, at: number): string {
  const relativeTo = (time: number | undefined): string => (time === undefined ? '…' : relative(time, at));
  return `${pod} on ${node}, reserved ${relativeTo(from)} to ${relativeTo(to)}, network ${relativeTo(up)} to ${relativeTo(down)}`;
}

function relative(time: number, at: number): string {
  const seconds = (time - at) / 1000;
  return `${seconds < 0 ? '' : '+'}${seconds.toFixed(2)}`;
}
