// CEL rules for fields of our kinds, each with the same rule in TypeScript beside it: the API server goes by the one,
// conversion, behind which no server checks, by the other. Used by the kinds of this folder.
import type { Validation } from './schema.ts';

export const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
export const DNS_SUBDOMAIN = '^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$';
export const NAMESPACE_ADVICE =
  'name each namespace in full, such as "shop"; for all that have a label in common use namespaceSelector';

export function matches(pattern: string, message: string): Validation {
  const expression = new RegExp(pattern);
  return { rule: `self.matches('${pattern}')`, message, holds: (value) => expression.test(value as string) };
}

/** Every item must match; the message names the first one that does not. */
export function eachMatches(pattern: string, advice: string): Validation {
  const expression = new RegExp(pattern);
  return {
    rule: `self.all(n, n.matches('${pattern}'))`,
    message: advice,
    messageExpression: `'"' + self.filter(n, !n.matches('${pattern}'))[0] + '" cannot be: ${advice}'`,
    holds: (value) => (value as string[]).every((item) => expression.test(item)),
  };
}

export function notEmpty(advice: string): Validation {
  return { rule: 'self.size() > 0', message: advice, holds: (value) => (value as unknown[]).length > 0 };
}

/** Of a tracker, in either version. */
export const NAME_RULE: Validation = {
  rule: 'self.metadata.name.size() <= 63',
  message: 'choose a name of at most 63 characters: it becomes the value of the label podtrail.dev/tracker on slices',
  holds: (value) => ((value as { metadata?: { name?: string } }).metadata?.name ?? '').length <= 63,
};

const AGE = /^([0-9]+(d|h|m|s))+$/;
const HOURS = { d: 24, h: 1, m: 1 / 60, s: 1 / 3600 } as const;

/** An age of at least an hour, or never. CEL's durations know no days. */
export const RETENTION_RULES: readonly Validation[] = [
  {
    rule: "self == 'never' || self.matches('^([0-9]+(d|h|m|s))+$')",
    message: 'write an age as numbers with the units d, h, m and s, such as "168h" or "7d", or "never"',
    holds: (value) => value === 'never' || AGE.test(value as string),
  },
  {
    rule: "!self.matches('^([0-9]+(d|h|m|s))+$') || self.matches('[1-9][0-9]*d') || duration(self.replace('0d', '0s')) >= duration('1h')",
    message: 'write an age of at least "1h", because there is one ConfigMap for each hour, or "never"',
    holds: (value) => !AGE.test(value as string) || hoursOf(value as string) >= 1,
  },
];

function hoursOf(age: string): number {
  let hours = 0;
  for (const [, count, unit] of age.matchAll(/(\d+)([dhms])/g)) hours += Number(count) * HOURS[unit as 'd'];
  return hours;
}
