// What names may look like, with the real server's words for those that may not.
import type { FieldError } from './api-status-error.ts';
import type { ResourceRules } from './rules/resource-rules.ts';

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;

const RULES: Readonly<Record<Exclude<ResourceRules['names'], 'path'>, { test: RegExp; most: number; words: string }>> =
  {
    subdomain: {
      test: new RegExp(`^${SUBDOMAIN}$`),
      most: 253,
      words: `a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')`,
    },
    label: {
      test: new RegExp(`^${LABEL}$`),
      most: 63,
      words: `a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '${LABEL}')`,
    },
  };

export function checkName(name: string, names: ResourceRules['names'], field = 'metadata.name'): FieldError[] {
  const value = JSON.stringify(name);
  if (names === 'path') {
    if (name === '.' || name === '..') return [{ field, reason: 'Invalid', value, detail: `may not be '${name}'` }];
    const bad = ['/', '%'].find((sign) => name.includes(sign));
    return bad === undefined ? [] : [{ field, reason: 'Invalid', value, detail: `may not contain '${bad}'` }];
  }
  const rule = RULES[names];
  const errors: FieldError[] = [];
  if (name.length > rule.most) {
    errors.push({ field, reason: 'Invalid', value, detail: `must be no more than ${rule.most} characters` });
  }
  if (!rule.test.test(name)) errors.push({ field, reason: 'Invalid', value, detail: rule.words });
  return errors;
}

const SUFFIX = 'bcdfghjklmnpqrstvwxz2456789';
/** The prefix is cut so that the whole stays a valid label. */
const LONGEST_PREFIX = 63 - 5;

export function generatedName(prefix: string, random: () => number): string {
  let suffix = '';
  for (let i = 0; i < 5; i++) suffix += SUFFIX[Math.floor(random() * SUFFIX.length)];
  return prefix.slice(0, LONGEST_PREFIX) + suffix;
}

/** A version 4 UUID from the given randomness. */
export function generatedUid(random: () => number): string {
  const bytes = Array.from({ length: 16 }, () => Math.floor(random() * 256));
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80;
  const hex = bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}
