// Asks a question of the catalogue: checks what it is asked with, finds the cluster, reads one snapshot. What is wrong
// with the parameters is said in a sentence that names the parameter.
import type { z } from 'zod';
import type { Cluster, Snapshot } from '../../engines/snapshot.ts';
import { withSnapshot } from '../../engines/with-snapshot.ts';
import { HistoryError } from '../../errors.ts';
import type { EpochMillis } from '../../model/time.ts';
import type { Joined, JoinedReader } from '../../union/joined-reader.ts';
import { leavesOpen } from '../leaves-open.ts';
import type { Visibility } from '../narrowed.ts';
import { issueSentence } from './issue-sentence.ts';
import type { Question } from './question.ts';
import { type DocumentOf, QUESTIONS, type QuestionName } from './questions.ts';

export interface Asker {
  readonly visibility: Visibility;
  readonly now: EpochMillis;
}

/** `parameters`: as they came, JSON values by name. */
export async function askQuestion<Name extends QuestionName>(
  reader: JoinedReader,
  { visibility, now }: Asker,
  name: Name,
  parameters: unknown,
): Promise<DocumentOf<Name>> {
  const question: Question = QUESTIONS[name] as unknown as Question;
  const checked = checkedParameters(question, parameters);
  if (question.audience === 'all-namespaces' && visibility.kind !== 'all') throw notForSome(name);
  const cluster = clusterOf(await reader.clusters(), checked['cluster'] as string | undefined);
  const document = await withSnapshot(reader, cluster.id, (snapshot) =>
    question.ask({ snapshot, visibility, cluster, now }, checked),
  );
  if (question.isOfOneReplica === true) return document as DocumentOf<Name>;
  return (await withPeers(reader, cluster, document, (snapshot) =>
    question.ask({ snapshot, visibility, cluster, now, namesCollectors: true }, checked),
  )) as DocumentOf<Name>;
}

/** Asks the same of this ledger and those of its peers as one, where this one does not know all of it. */
export async function withPeers<Document>(
  reader: JoinedReader,
  { id }: Pick<Cluster, 'id'>,
  document: Document,
  ask: (snapshot: Snapshot) => Promise<Document>,
): Promise<Document> {
  const { value, peers } = await askPeers(reader, id, document, ask);
  return peers.length === 0 ? document : { ...(value ?? document), peers };
}

/** The same where more than the document is wanted of it: no value and no peers where none was asked, or none is there. */
export async function askPeers<T>(
  reader: JoinedReader,
  cluster: string,
  document: unknown,
  ask: (snapshot: Snapshot) => Promise<T>,
): Promise<Joined<T>> {
  if (reader.joined === undefined || !leavesOpen(document)) return { value: undefined, peers: [] };
  return await reader.joined(cluster, ask);
}

/** The same for many questions: those that are left open are asked together, at the cost of one. */
export async function manyWithPeers<Document>(
  reader: JoinedReader,
  { id }: Pick<Cluster, 'id'>,
  documents: readonly Document[],
  /** Answers those at these places, in their order. */
  ask: (snapshot: Snapshot, places: readonly number[]) => Promise<readonly Document[]>,
): Promise<readonly Document[]> {
  const open = documents.flatMap((document, i) => (leavesOpen(document) ? [i] : []));
  if (reader.joined === undefined || open.length === 0) return documents;
  const { value, peers } = await reader.joined(id, (snapshot) => ask(snapshot, open));
  if (peers.length === 0) return documents;
  const said = [...documents];
  for (const [i, place] of open.entries()) said[place] = { ...(value?.[i] ?? documents[place]), peers } as Document;
  return said;
}

export function checkedParameters(
  { name, parameters: schema }: Pick<Question, 'parameters'> & { readonly name: string },
  parameters: unknown,
): Readonly<Record<string, unknown>> {
  const parsed = schema.safeParse(parameters);
  if (parsed.success) return parsed.data;
  const { issues } = parsed.error;
  const [first] = issues;
  // A number that no computer counts to is refused as that first; which limit it has is said behind it.
  const issue = issues.findLast(({ code, path }) => code === first?.code && path.join() === first.path.join());
  const known = Object.keys(schema.shape).join(', ') || 'no parameters';
  if (issue?.code === 'unrecognized_keys' && issue.path.length === 0) {
    throw new HistoryError('bad-parameter', `${name} has no parameter ${issue.keys.join(', ')}`, {
      hint: `it has ${known}.`,
    });
  }
  const path = issue?.path.join('.') ?? '';
  const message =
    issue === undefined ? 'the parameters are not understood' : issueSentence(issue, isAbsent(parameters, issue.path));
  throw new HistoryError('bad-parameter', path === '' ? `${name}: ${message}` : `${path}: ${message}`, {
    hint: hintOf(issue) ?? `${name} has ${known}.`,
  });
}

/** What a choice was made from is said of it where nothing was given, too. */
function isAbsent(parameters: unknown, path: readonly PropertyKey[]): boolean {
  let value = parameters;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return true;
    value = (value as Readonly<Record<PropertyKey, unknown>>)[name];
  }
  return value === undefined;
}

/** Of a schema that knows what was meant. */
function hintOf(issue: z.core.$ZodIssue | undefined): string | undefined {
  const hint: unknown = issue?.code === 'custom' ? issue.params?.['hint'] : undefined;
  return typeof hint === 'string' ? hint : undefined;
}

/** The only one, or the one that was named. */
export function clusterOf(clusters: readonly Cluster[], wanted: string | undefined): Cluster {
  const [first] = clusters;
  if (first === undefined) {
    throw new HistoryError('empty-store', 'the store holds no cluster yet', {
      hint: 'ask again when a recorder of it runs: podtrail record, or podtrail operator.',
    });
  }
  const names = () => clusters.map(({ name, id }) => `${name} (${id})`).join(', ');
  if (wanted === undefined) {
    if (clusters.length === 1) return first;
    throw new HistoryError('choose-cluster', `the store holds ${clusters.length} clusters: ${names()}`, {
      hint: 'choose one with cluster=NAME.',
    });
  }
  const found = clusters.find(({ name }) => name === wanted) ?? clusters.find(({ id }) => id === wanted);
  if (found !== undefined) return found;
  throw new HistoryError('unknown-cluster', `the store holds no cluster ${wanted}; it holds ${names()}`, {
    hint: 'choose one with cluster=NAME.',
  });
}

function notForSome(name: string): HistoryError {
  return new HistoryError('forbidden', `${name} is for who may list pods in all namespaces`, {
    hint: 'ask your administrator for a ClusterRole that lists pods.',
  });
}
