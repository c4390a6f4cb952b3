// Placements: which pod was on which node, from when to when.

import type { Boundary, Holder, Subject } from '@podtrail/history/wire';
import {
  askPlacements,
  boundaryDocument,
  endDocument,
  epochMillis,
  holderDocument,
  listPlacements,
  watchingDocument,
} from '@podtrail/history/wire';
import { podsOf, spanOf, wholeSpan, within } from './asked-of.ts';
import { type HistoryRecord, uidName, uidOfName } from './history-object.ts';
import { podsOnNode } from './on-node.ts';
import { endedSince, namelessTime, recordsOfPresent } from './present-pods.ts';
import { type FoundRecords, type HistoryResource, type ListQuestion, onlyRecord, type RecordsOf } from './resource.ts';
import { at, boundary, cellText, cellWorkload, holder, holderFields, START_AND_END, text } from './shapes.ts';
import { watchedPart } from './watched-warnings.ts';

export const PLACEMENTS: HistoryResource = {
  plural: 'placements',
  singular: 'placement',
  kind: 'Placement',
  namespaced: true,
  description:
    'A pod was on a node, from start to end. Select by node, uid, pod or workload, and by at, since or until; without any of them: where the pods are now.',
  fields: ['node', 'uid', 'pod', 'workload', 'at', 'since', 'until', 'metadata.name', 'metadata.namespace'],
  columns: [
    {
      name: 'Pod',
      type: 'string',
      description: 'The pod.',
      priority: 0,
      cell: (of) => cellText(at(of, 'pod', 'name')),
    },
    { name: 'Node', type: 'string', description: 'Where.', priority: 0, cell: (of) => cellText(at(of, 'node')) },
    ...START_AND_END,
    {
      ...{ name: 'Workload', type: 'string', description: 'Of whom it was.', priority: 1 },
      cell: (of) => cellWorkload(at(of, 'pod', 'workload')),
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
    node: text('The node.'),
    pod: holder('The pod.'),
    start: boundary('When it was bound to the node.'),
    end: boundary('When it ended. Not there while it lasts.'),
  },
  list,
  get,
};

async function list(question: ListQuestion): Promise<FoundRecords> {
  const { selector } = question;
  const name = selector.get('metadata.name');
  if (name !== undefined) return onlyRecord(await get(question, name));
  const node = selector.get('node');
  const asked = await podsOf(question, PLACEMENTS.plural);
  if (asked !== undefined) {
    const found = await ofSubject(question, asked);
    const isThere = ({ fields }: HistoryRecord) => node === undefined || fields['node'] === node;
    return { ...found, records: found.records.filter(isThere) };
  }
  if (node !== undefined) return await onNode(question, node);
  namelessTime(question);
  const ofPod = async (uid: string) => {
    const found = await get(question, uidName(uid));
    return found === undefined ? [] : [found];
  };
  const found = await recordsOfPresent(question, async ({ uid }) =>
    (await ofPod(uid)).filter(({ fields }) => fields['end'] === null),
  );
  return { ...found, ended: await endedSince(question, 'placement', ofPod) };
}

async function ofSubject(question: ListQuestion, subject: Subject): Promise<FoundRecords> {
  const { snapshot, visibility, cluster, now, namespace, limit, cursor } = question;
  const span = spanOf(question, undefined);
  const asked = { subject, span, paging: { limit, cursor }, now };
  const { placements, watching } = await askPlacements(snapshot, within(visibility, namespace), cluster, asked);
  const watched = watchedPart(watchingDocument(watching));
  return { records: placements.items.map(recordOf), cursor: placements.cursor, ...watched };
}

async function onNode(question: ListQuestion, node: string): Promise<FoundRecords> {
  const { pods, cursor, watched } = await podsOnNode(question, node);
  return { records: pods.map(recordOf), cursor, ...watched };
}

async function get(of: RecordsOf, name: string): Promise<HistoryRecord | undefined> {
  const { snapshot, visibility, cluster, now, namespace } = of;
  const subject: Subject = { by: 'uid', uid: uidOfName(name) };
  const asked = { subject, span: wholeSpan(now), paging: { limit: 1 } };
  const { items } = await listPlacements(snapshot, within(visibility, namespace), cluster, asked);
  const [found] = items;
  return found === undefined ? undefined : recordOf(found);
}

function recordOf(placement: {
  readonly pod: Holder;
  readonly start: Boundary;
  readonly end: Boundary | undefined;
}): HistoryRecord {
  const { pod, start, end } = placement;
  return {
    name: uidName(pod.uid),
    namespace: pod.namespace,
    at: start.at,
    began: start.observedAt,
    changed: end === undefined ? start.observedAt : epochMillis(Math.max(start.observedAt, end.observedAt)),
    fields: {
      node: pod.node,
      pod: holderFields(holderDocument(pod)),
      start: boundaryDocument(start),
      end: endDocument(end),
    },
  };
}
