// Tenures: who had which address, from when to when. By an address, a pod, a workload or a node; of nobody in particular
// those that last now, of the pods that are there.

import type { Asked, AskedSpan, EpochMillis, Span } from '@podtrail/history/wire';
import {
  askStays,
  askTrail,
  boundaryDocument,
  endDocument,
  epochMillis,
  holderDocument,
  parseIp,
  type Stay,
} from '@podtrail/history/wire';
import { spanOf, subjectOf, wholeSpan, within } from './asked-of.ts';
import { addressName, type HistoryRecord, uidName, uidOfName, versionName } from './history-object.ts';
import { podsOnNode } from './on-node.ts';
import { endedSince, namelessTime, recordsOfPresent } from './present-pods.ts';
import { type FoundRecords, type HistoryResource, type ListQuestion, onlyRecord, type RecordsOf } from './resource.ts';
import { at, boundary, cellText, cellWorkload, holder, holderFields, START_AND_END, text } from './shapes.ts';
import { sideBySide } from './side-by-side.ts';
import { watchedPart } from './watched-warnings.ts';

export const TENURES: HistoryResource = {
  plural: 'tenures',
  singular: 'tenure',
  kind: 'Tenure',
  namespaced: true,
  description:
    'A pod, node or Service had an address, from start to end. Select by ip, uid, pod, workload or node, and by at, since or until; without any of them: who has an address now.',
  fields: ['ip', 'uid', 'pod', 'workload', 'node', 'at', 'since', 'until', 'metadata.name', 'metadata.namespace'],
  columns: [
    { name: 'IP', type: 'string', description: 'The address.', priority: 0, cell: (of) => cellText(at(of, 'ip')) },
    { name: 'Holder', type: 'string', description: 'Who had it.', priority: 0, cell: holderCell },
    {
      name: 'Node',
      type: 'string',
      description: 'Where.',
      priority: 0,
      cell: (of) => cellText(at(of, 'holder', 'node')),
    },
    ...START_AND_END,
    {
      ...{ name: 'Workload', type: 'string', description: 'Of whom it was.', priority: 1 },
      cell: (of) => cellWorkload(at(of, 'holder', 'workload')),
    },
    {
      name: 'UID',
      type: 'string',
      description: 'Of the holder.',
      priority: 1,
      cell: (of) => cellText(at(of, 'holder', 'uid')),
    },
    { name: 'Name', type: 'string', description: 'Of this record.', priority: 1, cell: (of) => of.metadata.name },
  ],
  properties: {
    ip: text('The address.'),
    holder: holder('Who had it.'),
    start: boundary('When it began to have it.'),
    end: boundary('When it had it no more. Not there while it lasts.'),
  },
  list,
  get,
};

function holderCell(of: Parameters<typeof at>[0]): string {
  const kind = at(of, 'holder', 'kind');
  const name = cellText(at(of, 'holder', 'name'));
  return kind === 'Pod' ? name : `${String(kind).toLowerCase()}/${name}`;
}

async function list(question: ListQuestion): Promise<FoundRecords> {
  const { selector, cursor } = question;
  const name = selector.get('metadata.name');
  if (name !== undefined) return onlyRecord(await get(question, name));
  const asked = await subjectOf(question);
  if (asked !== undefined) {
    const span = spanOf(question, undefined);
    return await pageOf(question.limit, (limit) => ofSubject({ ...question, limit }, asked, span, cursor));
  }
  const node = selector.get('node');
  if (node !== undefined) return await pageOf(question.limit, (limit) => onNode({ ...question, limit }, node));
  namelessTime(question);
  const span = { from: question.now, to: epochMillis(question.now + 1), hasSince: true, hasUntil: true };
  const found = await recordsOfPresent(question, async ({ uid }) => {
    const records = await ofPod(question, uid, span);
    return records.filter(({ fields }) => fields['end'] === null);
  });
  const ofEnded = (uid: string, { from, to }: Span) =>
    ofPod(question, uid, { from, to, hasSince: true, hasUntil: true });
  return { ...found, ended: await endedSince(question, 'tenure', ofEnded) };
}

/**
 * Pages of pods are read, and a pod may have had several addresses: fewer pods where those are more than the page may have.
 * The addresses of one pod are never on two pages.
 */
async function pageOf(most: number, read: (limit: number) => Promise<FoundRecords>): Promise<FoundRecords> {
  for (let limit = most; ; ) {
    const found = await read(limit);
    const { length } = found.records;
    if (length <= most || limit === 1) return found;
    limit = Math.max(1, Math.min(limit - 1, Math.floor((limit * most) / length)));
  }
}

async function ofSubject(
  question: ListQuestion,
  asked: Asked,
  span: AskedSpan,
  cursor: string | undefined,
): Promise<FoundRecords> {
  const { snapshot, visibility, cluster, now, namespace, limit } = question;
  const paging = { limit, cursor };
  const { stays, document } = await askTrail(snapshot, within(visibility, namespace), cluster, {
    asked,
    span,
    paging,
    now,
  });
  return { records: selected(question, stays.items), cursor: stays.cursor, ...watchedPart(document.coverage) };
}

/** So many addresses of one pod are listed. */
const MOST_OF_A_POD = 100;

/** One of many: why it lost an address, and what was watched, is not read for each of them. */
async function ofPod(question: ListQuestion, uid: string, span: AskedSpan): Promise<readonly HistoryRecord[]> {
  const { snapshot, visibility, cluster, namespace } = question;
  const asked = { asked: { by: 'uid', uid }, span, paging: { limit: MOST_OF_A_POD } } as const;
  const { items } = await askStays(snapshot, within(visibility, namespace), cluster, asked);
  return selected(question, items);
}

function selected({ selector }: ListQuestion, stays: readonly Stay[]): readonly HistoryRecord[] {
  const [node, wanted] = [selector.get('node'), selector.get('uid')];
  return stays
    .filter(
      ({ ip, holder: { uid, node: on } }) =>
        ip !== '' && (node === undefined || on === node) && (wanted === undefined || wanted === uid),
    )
    .map(recordOf);
}

/** The addresses of the pods that were there. */
async function onNode(question: ListQuestion, node: string): Promise<FoundRecords> {
  const { pods, cursor, watched } = await podsOnNode(question, node);
  const span = spanOf(question, undefined);
  const records: HistoryRecord[] = [];
  for await (const found of sideBySide(pods, ({ pod: { uid } }) => ofPod(question, uid, span))) records.push(...found);
  return { records, cursor, ...watched };
}

async function get(of: RecordsOf, name: string): Promise<HistoryRecord | undefined> {
  const { snapshot, visibility, cluster, now, namespace } = of;
  const [address = '', uid = '', version] = name.split('.');
  const ip = parseIp(address.split('-').length === 4 ? address.replaceAll('-', '.') : address.replaceAll('-', ':'));
  if (ip === undefined || version === undefined) return undefined;
  // A node has no placement, and a Service neither: those are found by their address.
  for (const asked of [{ by: 'uid', uid: uidOfName(uid) } as const, { by: 'ip', ip } as const]) {
    for await (const stay of staysOf({ snapshot, visibility, cluster, now, namespace }, asked)) {
      if (stay.ip !== '' && recordOf(stay).name === name) return recordOf(stay);
    }
  }
  return undefined;
}

/** So many pages of an address are looked through for one record. */
const MOST_PAGES = 20;

async function* staysOf(
  { snapshot, visibility, cluster, now, namespace }: Omit<RecordsOf, 'present'>,
  asked: Asked,
): AsyncIterable<Stay> {
  let cursor: string | undefined;
  const span = wholeSpan(now);
  for (let page = 0; page < MOST_PAGES; page++) {
    const question = { asked, span, paging: { limit: 1_000, cursor }, now };
    const { stays } = await askTrail(snapshot, within(visibility, namespace), cluster, question);
    yield* stays.items;
    cursor = stays.cursor;
    if (cursor === undefined) return;
  }
}

function recordOf({ ip, holder: who, start, end }: Stay): HistoryRecord {
  const changed: EpochMillis =
    end === undefined ? start.observedAt : epochMillis(Math.max(start.observedAt, end.observedAt));
  return {
    name: `${addressName(ip)}.${uidName(who.uid)}.${versionName(start)}`,
    namespace: who.namespace,
    at: start.at,
    began: start.observedAt,
    changed,
    fields: { ip, holder: holderFields(holderDocument(who)), start: boundaryDocument(start), end: endDocument(end) },
  };
}
