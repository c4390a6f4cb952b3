// An answer as one sentence, and why it is what it is: the words of the command, without its times (the page shows those
// in the reader's zone). Pure.
import type { WhoDocument } from '@podtrail/history/wire';

type Holder = WhoDocument['holders'][number];

export function headline(answer: WhoDocument): string {
  const { ip } = answer.query;
  switch (answer.answer) {
    case 'held':
      return `${ip} was held by ${holderText(answer.holders[0])}`;
    case 'free':
      return answer.reason === 'outside' ? `${ip} is outside the cluster` : `Nobody held ${ip}`;
    case 'ambiguous':
      return answer.holders.length === 1
        ? `${ip} may have been held by ${holderText(answer.holders[0])}`
        : `${ip} may have been held by one of ${answer.holders.length}`;
    case 'unknown':
      return `It is unknown who held ${ip}`;
  }
}

function holderText({ kind, namespace, name, node }: Holder): string {
  if (kind === 'Node') return `node ${name}`;
  if (kind === 'Service') return `Service ${namespace}/${name}`;
  return `pod ${namespace}/${name}${node === '' ? '' : ` on node ${node}`}`;
}

const UNKNOWN: Readonly<Record<Extract<WhoDocument, { answer: 'unknown' }>['reason'], readonly [string, string]>> = {
  'before-first-record': ['Nobody was watching yet.', ''],
  gap: ['Nobody was watching then.', ''],
  expired: ['What was recorded of that time was removed.', 'It was older than the retention.'],
  'after-last-record': ['Nobody has watched since.', 'Is the recorder running?'],
  'not-watched': ['Pods were watched, nodes or Services were not.', 'It may have been one of those.'],
  'in-the-future': ['That instant has not come.', 'Look at the date and the time zone.'],
  damaged: ['The record of that time is damaged.', 'Run podtrail store verify.'],
  'not-visible': [
    'It may be in a namespace that you may not see.',
    'Ask somebody who may list pods in all namespaces.',
  ],
};

/** Why nothing is known, and what that means. */
export function unknownText(reason: keyof typeof UNKNOWN | string): readonly [string, string] {
  return Object.hasOwn(UNKNOWN, reason) ? UNKNOWN[reason as keyof typeof UNKNOWN] : [`Nobody knows (${reason}).`, ''];
}
