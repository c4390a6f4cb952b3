// What the field selector of a list means for the questions of the ledger: whose records, and of which time.

import { HistoryError } from '@podtrail/history';
import type { EpochMillis } from '@podtrail/history/wire';
import {
  type Asked,
  type AskedSpan,
  addressOf,
  beginningOf,
  epochMillis,
  LONGEST_SPAN_MS,
  parseSubject,
  type Subject,
  type Visibility,
} from '@podtrail/history/wire';
import { checkedParameters, QUESTIONS } from '@podtrail/history/wire/catalogue';
import { Problem } from '../problem.ts';
import type { FieldSelector } from './field-selector.ts';
import type { ListQuestion } from './resource.ts';

/** Before every record, also those of clocks that are wrong. */
const ALWAYS = epochMillis(-8_640_000_000_000_000);

interface Times {
  readonly at?: EpochMillis | undefined;
  readonly since?: EpochMillis | undefined;
  readonly until?: EpochMillis | undefined;
}

/** Instants as every other door takes them. */
const TIMES = {
  name: 'the field selector',
  parameters: QUESTIONS.gaps.parameters
    .pick({ since: true, until: true })
    .extend({ at: QUESTIONS.who.parameters.shape.at }),
};

export function timesOf(selector: FieldSelector): Times {
  const given = (['at', 'since', 'until'] as const).flatMap((name) =>
    selector.has(name) ? [[name, selector.get(name)]] : [],
  );
  const { at, since, until } = checkedParameters(TIMES, Object.fromEntries(given)) as Times;
  if (at !== undefined && (since !== undefined || until !== undefined)) {
    throw new Problem(400, 'bad-span', 'at is an instant, since and until are a span', { hint: 'give one of them.' });
  }
  return { at, since, until };
}

/** `byDefault`: how far back where nothing is said; undefined: as far as may be asked. */
export function spanOf({ selector, now, watchedFrom }: ListQuestion, byDefault: number | undefined): AskedSpan {
  const { at, since, until } = timesOf(selector);
  if (watchedFrom !== undefined) {
    if (at !== undefined || until !== undefined) {
      throw new Problem(400, 'bad-watch', 'a watch is of what comes; at and until are of what was', {
        hint: 'leave them out, or list without a watch.',
      });
    }
    return { from: watchedFrom, to: epochMillis(now + 1), hasSince: true, hasUntil: false };
  }
  if (at !== undefined) return { from: at, to: epochMillis(at + 1), hasSince: true, hasUntil: true };
  const to = until ?? epochMillis(now + 1);
  const from = since ?? beginningOf(to, now, byDefault ?? LONGEST_SPAN_MS);
  if (from >= to) {
    throw new HistoryError('bad-span', 'since is not before until, so there is no time in between', {
      hint: 'the earlier time is since; until is now where it is left out.',
    });
  }
  return { from, to, hasSince: since !== undefined, hasUntil: until !== undefined };
}

/** As far back as may be asked: where one record is looked for by its name. */
export function wholeSpan(now: EpochMillis): AskedSpan {
  const to = epochMillis(now + 1);
  return { from: epochMillis(Math.max(0, to - LONGEST_SPAN_MS)), to, hasSince: false, hasUntil: false };
}

/** Whose records: the first of ip, uid, pod and workload. Undefined: nobody is named by them. */
export async function subjectOf({ selector, namespace }: ListQuestion): Promise<Asked | undefined> {
  const ip = selector.get('ip');
  if (ip !== undefined) return { by: 'ip', ip: addressOf(ip) };
  const uid = selector.get('uid');
  if (uid !== undefined) return { by: 'uid', uid };
  const named = selector.get('pod') ?? selector.get('workload');
  if (named === undefined) return undefined;
  const field = selector.has('pod') ? 'pod' : 'workload';
  const within = namespace ?? selector.get('metadata.namespace');
  if (field === 'workload' && !named.includes('/')) {
    throw new Problem(400, 'bad-selector', `workload=${named} is no workload`, {
      hint: 'write TYPE/NAME: deploy/cart.',
    });
  }
  const needed = async () => {
    if (within !== undefined) return within;
    throw new Problem(400, 'bad-selector', `${field}=${named} is a name, and names are of a namespace`, {
      hint: 'add -n NAMESPACE.',
    });
  };
  return await parseSubject(field === 'pod' ? `pod/${named}` : named, needed, within);
}

/** The same where records are of pods. An address, or a Service, would else be passed over, and all be listed. */
export async function podsOf(question: ListQuestion, plural: string): Promise<Subject | undefined> {
  const asked = await subjectOf(question);
  if (asked === undefined || (asked.by !== 'ip' && asked.by !== 'service')) return asked;
  throw new Problem(400, 'bad-selector', `${plural} are of pods, and a Service is none`, {
    hint: 'name who has the pods: workload=deploy/cart.',
  });
}

/**
 * For a list within a namespace, whoever sees everything sees that namespace as it ever was: so the questions read no more
 * than is asked for.
 */
export function within(visibility: Visibility, namespace: string | undefined): Visibility {
  if (namespace === undefined) return visibility;
  const since = visibility.kind === 'all' ? ALWAYS : visibility.since.get(namespace);
  return { kind: 'namespaces', since: new Map(since === undefined ? [] : [[namespace, since]]) };
}
