// Changes: which annotations of pods were added, changed and removed.
import { type Change, changeDocument, readChanges, readWatching, watchingDocument } from '@podtrail/history/wire';
import { podsOf, spanOf, wholeSpan, within } from './asked-of.ts';
import { digestName, type HistoryRecord, uidName, uidOfName, versionName } from './history-object.ts';
import { type FoundRecords, type HistoryResource, type ListQuestion, onlyRecord, type RecordsOf } from './resource.ts';
import { at, cellText, cellTime, evidence, instant, integer, object, text, yesOrNo } from './shapes.ts';
import { watchedPart } from './watched-warnings.ts';

/** Of a list that says nothing about its time and names nobody. */
const BY_DEFAULT_MS = 86_400_000;

const value = (description: string) =>
  object(description, {
    text: text('The value, or its beginning.'),
    cut: yesOrNo('It is longer than what is kept.'),
    sha256: text('Of the whole value, where it is cut.'),
  });

export const CHANGES: HistoryResource = {
  plural: 'changes',
  singular: 'change',
  kind: 'Change',
  namespaced: true,
  description:
    'An annotation of a pod was added, changed or removed. Select by uid, pod or workload, and by since and until; of nobody in particular: of the last 24 hours.',
  fields: ['uid', 'pod', 'workload', 'since', 'until', 'metadata.name', 'metadata.namespace'],
  columns: [
    { name: 'At', type: 'string', description: 'When it was seen.', priority: 0, cell: (of) => cellTime(at(of, 'at')) },
    {
      name: 'Pod',
      type: 'string',
      description: 'Of whom.',
      priority: 0,
      cell: (of) => cellText(at(of, 'pod', 'name')),
    },
    { name: 'Change', type: 'string', description: 'What.', priority: 0, cell: (of) => cellText(at(of, 'change')) },
    { name: 'Key', type: 'string', description: 'The annotation.', priority: 0, cell: (of) => cellText(at(of, 'key')) },
    {
      name: 'Before',
      type: 'string',
      description: 'Its value.',
      priority: 1,
      cell: (of) => brief(at(of, 'before', 'text')),
    },
    {
      name: 'After',
      type: 'string',
      description: 'Its value.',
      priority: 1,
      cell: (of) => brief(at(of, 'after', 'text')),
    },
    { name: 'Name', type: 'string', description: 'Of this record.', priority: 1, cell: (of) => of.metadata.name },
  ],
  properties: {
    at: instant('When it was seen.'),
    pod: object('The pod.', { namespace: text('Its namespace.'), name: text('Its name.'), uid: text('Its UID.') }),
    change: text('added, changed, removed, or suppressed: so many that they were counted only.'),
    key: text('The annotation.'),
    before: value('The value before. Not there where it was added.'),
    after: value('The value after. Not there where it was removed.'),
    suppressed: object('Changes that were counted and not kept.', {
      budget: text('Whose budget was used up: pod or namespace.'),
      changes: integer('How many.'),
      last: instant('When the last of them was seen.'),
    }),
    evidence,
  },
  list,
  get,
};

/** One line of a table. */
function brief(of: unknown): string {
  const line = cellText(of).replaceAll(/\s+/g, ' ');
  return line.length > 60 ? `${line.slice(0, 60)}…` : line;
}

async function list(question: ListQuestion): Promise<FoundRecords> {
  const { snapshot, visibility, cluster, now, namespace, limit, cursor, selector } = question;
  const name = selector.get('metadata.name');
  if (name !== undefined) return onlyRecord(await get(question, name));
  const subject = await podsOf(question, CHANGES.plural);
  const span = spanOf(question, subject === undefined ? BY_DEFAULT_MS : undefined);
  const paged = { listing: 'changes of the API', cluster: cluster.id, namespace, ...subject };
  const changes = await readChanges(snapshot, within(visibility, namespace), {
    ...{ subject, key: undefined, span, paging: { limit, cursor }, question: paged },
  });
  const watching = await readWatching(snapshot, span, now, await snapshot.expired('change'));
  const watched = watchedPart(watchingDocument(watching));
  return { records: changes.items.map(recordOf), cursor: changes.cursor, ...watched };
}

async function get(of: RecordsOf, name: string): Promise<HistoryRecord | undefined> {
  const { snapshot, visibility, cluster, now, namespace } = of;
  const [uid = ''] = name.split('.');
  const span = wholeSpan(now);
  const changes = await readChanges(snapshot, within(visibility, namespace), {
    subject: { by: 'uid', uid: uidOfName(uid) },
    ...{ key: undefined, span, paging: { limit: 10_000 }, question: { listing: 'change', cluster: cluster.id } },
  });
  return changes.items.map(recordOf).find((record) => record.name === name);
}

function recordOf(change: Change): HistoryRecord {
  const { name, namespace, pod: _, uid, ...rest } = changeDocument(change);
  const { observedAt, suppressed } = change;
  return {
    name: `${uidName(uid)}.${digestName(change.key)}.${versionName(change)}`,
    ...{ namespace, at: observedAt, began: observedAt, changed: suppressed?.last ?? observedAt },
    fields: { at: rest.evidence.observedAt, pod: { namespace, name, uid }, ...rest },
  };
}
