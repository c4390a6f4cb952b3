// An annotation was added, changed or removed. Who may patch a pod decides how many there are: hence a range of their own.
import { newerChange } from '../../model/fact.ts';
import type { Change, Suppressed } from '../../model/records.ts';
import type { EpochMillis } from '../../model/time.ts';
import { versionKey } from '../order.ts';
import type { OccurrenceType } from './occurrence-type.ts';

/** Only a change that counts suppressed ones has a budget: then this follows its values. */
const BUDGETS: readonly Suppressed['budget'][] = ['pod', 'namespace'];

export const CHANGE: OccurrenceType<Change> = {
  number: 1,
  place: (change) => ({ time: change.observedAt, key: `${change.pod.uid}|${versionKey(change)}|${change.key}` }),
  about: ({ pod }) => ({ holders: [pod] }),
  newer: newerChange,
  retention: 'own',
  write(body, change) {
    body.provenance(change);
    body.holder(change.pod);
    body.text(change.key);
    body.value(change.before);
    body.value(change.after);
    const { suppressed } = change;
    if (suppressed === undefined) return;
    body.byte(BUDGETS.indexOf(suppressed.budget));
    body.uint(suppressed.changes);
    body.int(suppressed.last);
  },
  read(body) {
    const provenance = body.provenance();
    const pod = body.holder();
    const key = body.text();
    const before = body.value();
    const after = body.value();
    const change: Change = { ...provenance, pod, key, before, after };
    if (body.isAtEnd) return change;
    const budget = BUDGETS[body.byte()];
    if (budget === undefined) throw new RangeError('there is no such budget');
    return { ...change, suppressed: { budget, changes: body.uint(), last: body.int() as EpochMillis } };
  },
  parse(line) {
    const value = (name: string) => (line.has(name) ? line.object(name).value() : undefined);
    const pod = line.object('pod').holder();
    const key = line.text('key');
    const change: Change = { ...line.provenance(), pod, key, before: value('before'), after: value('after') };
    if (!line.has('suppressed')) return change;
    const suppressed = line.object('suppressed');
    const budget = suppressed.oneOf('budget', BUDGETS);
    return { ...change, suppressed: { budget, changes: suppressed.count('changes'), last: suppressed.time('last') } };
  },
};
