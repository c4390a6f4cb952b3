// What is wrong with a parameter, in words for a person: what was given, and what to give. Sentences that a schema has of
// its own are taken as they are.
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

const WORDS: Readonly<Record<string, string>> = {
  ...{ string: 'a text', number: 'a number', int: 'a whole number', boolean: 'true or false', array: 'a list' },
  ...{ object: 'an object', record: 'an object', null: 'nothing', undefined: 'nothing' },
};

/** `isAbsent`: nothing was given there. The schema does not say so of a choice. */
export function issueSentence(issue: Issue, isAbsent = false): string {
  if (!isOfZod(issue.message)) return issue.message;
  switch (issue.code) {
    case 'invalid_type':
      // Without an input it was left out.
      return isMissing(issue) ? 'is missing' : `is not ${WORDS[issue.expected] ?? issue.expected}`;
    case 'invalid_value':
      return `${isAbsent ? 'is missing; it is one' : 'is none'} of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      return sized('at least', Number(issue.minimum), issue.origin);
    case 'too_big':
      return sized('at most', Number(issue.maximum), issue.origin);
    case 'unrecognized_keys':
      return `has no field ${issue.keys.join(', ')}`;
    case 'invalid_format':
      return 'is not written as it must be';
    default:
      return 'is not understood';
  }
}

function sized(bound: string, size: number, origin: string): string {
  if (origin === 'string') return size === 1 && bound === 'at least' ? 'is empty' : `has ${bound} ${size} characters`;
  if (origin === 'array' || origin === 'set') return `has ${bound} ${size} ${size === 1 ? 'entry' : 'entries'}`;
  return `is ${bound} ${size}`;
}

function isMissing({ message, input }: Issue & { readonly input?: unknown }): boolean {
  return input === undefined && message.endsWith('received undefined');
}

function isOfZod(message: string): boolean {
  return message.startsWith('Invalid ') || message.startsWith('Too ') || message.startsWith('Unrecognized ');
}
