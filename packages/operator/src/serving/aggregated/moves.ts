// Moves: which pods ended, why, and who took their place where.

import type { AskedSpan, EpochMillis, Subject } from '@podtrail/history/wire';
import { askMoves, CAUSES, type Cause, epochMillis, type Move, moveDocument } from '@podtrail/history/wire';
import { Problem } from '../problem.ts';
import { podsOf, spanOf } from './asked-of.ts';
import { type HistoryRecord, uidName, uidOfName } from './history-object.ts';
import { type FoundRecords, type HistoryResource, type ListQuestion, onlyRecord, type RecordsOf } from './resource.ts';
import {
  at,
  cellText,
  cellTime,
  cellWorkload,
  holder,
  holderFields,
  instant,
  integer,
  listOf,
  text,
  yesOrNo,
} from './shapes.ts';
import { watchedPart } from './watched-warnings.ts';

/** Of a list that says nothing about its time. */
const BY_DEFAULT_MS = 86_400_000;
const FAR = epochMillis(Date.UTC(9999, 0, 1));

export const MOVES: HistoryResource = {
  plural: 'moves',
  singular: 'move',
  kind: 'Move',
  namespaced: true,
  description:
    'A pod ended: why, and who took its place where. Select by cause, node (that it was on), uid, pod or workload, and by since and until; without a time: of the last 24 hours.',
  hasLabels: true,
  fields: ['cause', 'node', 'uid', 'pod', 'workload', 'since', 'until', 'metadata.name', 'metadata.namespace'],
  columns: [
    {
      name: 'At',
      type: 'string',
      description: 'When it began to end.',
      priority: 0,
      cell: (of) => cellTime(at(of, 'at')),
    },
    {
      name: 'Pod',
      type: 'string',
      description: 'Who ended.',
      priority: 0,
      cell: (of) => cellText(at(of, 'pod', 'name')),
    },
    { name: 'From', type: 'string', description: 'Its node.', priority: 0, cell: (of) => cellText(at(of, 'from')) },
    {
      name: 'To',
      type: 'string',
      description: 'Where its place was taken.',
      priority: 0,
      cell: (of) => cellText(at(of, 'to')),
    },
    { name: 'Cause', type: 'string', description: 'Why.', priority: 0, cell: causeCell },
    {
      ...{ name: 'Successor', type: 'string', description: 'Who took its place.', priority: 1 },
      cell: (of) => cellText(at(of, 'successor', 'name')),
    },
    {
      ...{ name: 'Workload', type: 'string', description: 'Of whom it was.', priority: 1 },
      cell: (of) => cellWorkload(at(of, 'pod', 'workload')),
    },
    {
      name: 'Sentence',
      type: 'string',
      description: 'Why, in words.',
      priority: 1,
      cell: (of) => cellText(at(of, 'sentence')),
    },
    {
      name: 'Name',
      type: 'string',
      description: 'Of this record: the UID.',
      priority: 1,
      cell: (of) => of.metadata.name,
    },
  ],
  properties: {
    at: instant('When it began to end.'),
    pod: holder('Who ended.'),
    from: text('The node that it was on.'),
    to: text('The node on which its place was taken. Not there where nobody took it, as far as is known.'),
    fromIps: listOf(text('An address.'), 'The addresses that it had.'),
    toIps: listOf(text('An address.'), 'The addresses that its successor had.'),
    successor: holder('Who took its place.', { certain: yesOrNo('Nobody else can have taken it.') }),
    cause: text('Why it ended: one word of a closed list.'),
    certainty: text('certain or inferred.'),
    sentence: text('Why, in words.'),
    actor: text('Who did it, where an audit log says so.'),
    evidence: listOf(text('An id.'), 'What the verdict rests on, as `podtrail explain` lists it.'),
    downtimeMs: integer('From unready to the readiness of its successor, in milliseconds.'),
  },
  list,
  get,
};

function causeCell(of: Parameters<typeof at>[0]): string {
  return at(of, 'certainty') === 'inferred' ? `${at(of, 'cause')}?` : cellText(at(of, 'cause'));
}

async function list(question: ListQuestion): Promise<FoundRecords> {
  const { selector, limit, cursor } = question;
  const name = selector.get('metadata.name');
  if (name !== undefined) return onlyRecord(await get(question, name));
  const asked = await podsOf(question, MOVES.plural);
  const span = spanOf(question, BY_DEFAULT_MS);
  return await during({ ...question, subject: asked }, span, { limit, cursor });
}

async function during(
  question: ListQuestion & { readonly subject?: Subject | undefined },
  span: AskedSpan,
  paging: { readonly limit: number; readonly cursor: string | undefined },
): Promise<FoundRecords & { readonly moves: readonly Move[] }> {
  const { snapshot, visibility, cluster, now, namespace, selector, labelSelector, subject } = question;
  const filters = {
    causes: causesOf(selector.get('cause')),
    fromNode: selector.get('node'),
    toNode: undefined,
    namespace,
  };
  const asked = { ...filters, span, paging, now, subject, selector: labelSelector };
  const { moves, unjudged, document } = await askMoves(snapshot, visibility, cluster, asked);
  const records = moves.items.map(recordOf);
  const left = unjudged === 0 ? [] : [`the labels of ${unjudged} pods that ended are not known: they are left out`];
  const { warnings = [], hasGaps } = watchedPart(document.coverage);
  return { records, moves: moves.items, cursor: moves.cursor, warnings: [...left, ...warnings], hasGaps };
}

async function get(of: RecordsOf, name: string): Promise<HistoryRecord | undefined> {
  const uid = uidOfName(name);
  const span = { from: epochMillis(0), to: FAR };
  const subject: Subject = { by: 'uid', uid };
  const { items } = await of.snapshot.occurrences({ kind: 'departure', subject, span, page: { limit: 100 } });
  const departed = items.find(({ pod }) => pod.uid === uid)?.at;
  // Also where there is none: it takes as long, and says the same.
  const from: EpochMillis = departed ?? of.now;
  const one = { from, to: epochMillis(from + 1), hasSince: true, hasUntil: true };
  const question = { ...of, selector: new Map(), limit: 1_000, cursor: undefined };
  const { moves } = await during(question, one, { limit: 1_000, cursor: undefined });
  const found = moves.find(({ departure }) => departure.pod.uid === uid);
  const isWithin =
    found !== undefined && (of.namespace === undefined || found.departure.pod.namespace === of.namespace);
  return isWithin ? recordOf(found) : undefined;
}

function causesOf(textOf: string | undefined): readonly Cause[] | undefined {
  if (textOf === undefined) return undefined;
  return textOf.split('|').map((word) => {
    const cause = CAUSES.find((known) => known.toLowerCase() === word.toLowerCase());
    if (cause !== undefined) return cause;
    throw new Problem(400, 'bad-selector', `${word} is no cause of a move`, {
      hint: `the causes are ${CAUSES.join(', ')}.`,
    });
  });
}

function recordOf(move: Move): HistoryRecord {
  const { departure } = move;
  const document = moveDocument(move);
  const { kind, namespace, name, pod: podName, uid, node, workload, hostNetwork, successor, ...rest } = document;
  const pod = holderFields({ kind, namespace, name, pod: podName, uid, node, workload, hostNetwork });
  const next = successor === null ? null : { ...holderFields(successor), certain: successor.certain };
  return {
    ...{ name: uidName(uid), namespace, at: departure.at, began: departure.observedAt, changed: departure.observedAt },
    fields: { ...rest, pod, successor: next },
  };
}
