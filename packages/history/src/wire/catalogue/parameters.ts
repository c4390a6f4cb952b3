// What a question may be asked with, as JSON values: instants as text, whole numbers, lists. One schema for each word, so
// that `since` means the same in every question, on every door and in every document that describes them.
import { z } from 'zod';
import { CAUSE_CHOICES } from '../../explain/index.ts';
import { type EpochMillis, epochMillis } from '../../model/time.ts';
import { LARGEST_PAGE } from '../../query/limits.ts';

/** Records on a page, unless it is said otherwise. */
const DEFAULT_LIMIT = 100;
const LONGEST_TEXT = 512;
/** Of a change it holds the key of an annotation, of up to 317 characters, a UID and a version of any length. */
const LONGEST_CURSOR = 2_048;
/** Smaller numbers are no instants that a ledger could know (1973), and rather a forgotten unit. */
const LEAST_SECONDS = 100_000_000;
const LEAST_MILLISECONDS = 100_000_000_000;
const LEAST_MICROSECONDS = 100_000_000_000_000;
const RFC_3339 = z.iso.datetime({ offset: true });
/** Surely one of those, and nearly all that is asked with; days after the 28th depend on their month. */
const PLAIN = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?Z$/;

const INSTANT = 'RFC 3339 with a zone (2026-11-15T10:05:00Z), or epoch seconds or milliseconds';

/** Doors that are not terminals know neither the asker's zone nor its clock: no ages, and no times without a zone. */
export function instantOf(text: string): EpochMillis | undefined {
  if (/^\d{1,17}$/.test(text)) {
    const number = Number(text);
    if (number < LEAST_SECONDS || number >= LEAST_MICROSECONDS) return undefined;
    return epochMillis(number < LEAST_MILLISECONDS ? number * 1000 : number);
  }
  return PLAIN.test(text) || RFC_3339.safeParse(text).success ? epochMillis(Date.parse(text)) : undefined;
}

/** What is missing is named: most who are refused have written a time as a clock or a log shows it. */
function mistakeOf(written: string): { readonly message: string; readonly params?: { readonly hint: string } } {
  const day = /^\d{4}-\d{2}-\d{2}$/.test(written) ? 'T00:00:00' : '';
  // Blanks, and minutes without seconds, as people and databases write them.
  const time = `${written.replace(/^(\S+) (?=\d)/, '$1T').replace(/(T\d{2}:\d{2})$/, '$1:00')}${day}`;
  if (instantOf(`${time}Z`) === undefined) return { message: `is no time that is understood; write ${INSTANT}` };
  return {
    message: day === '' ? 'has no zone' : 'is a day without a time and a zone',
    params: { hint: `add Z or an offset as +02:00: ${time}Z, ${time}+02:00.` },
  };
}

function instant(description: string) {
  const schema = z
    .string()
    .max(64)
    .transform((text, { issues }) => {
      const at = instantOf(text);
      if (at !== undefined) return at;
      issues.push({ code: 'custom', input: text, ...mistakeOf(text) });
      return z.NEVER;
    });
  return schema.meta({ description: `${description}: ${INSTANT}.` });
}

function text(description: string, longest = LONGEST_TEXT) {
  return z.string().min(1).max(longest).meta({ description });
}

export const clusterParameter = {
  cluster: text('Name or ID of the cluster; may be left out where the store holds one.').optional(),
};

export const addressParameter = { ip: text('An IPv4 or IPv6 address.') };

export const atParameter = { at: instant('The instant; now if left out').optional() };

export const spanParameters = {
  since: instant('Beginning of the time asked about').optional(),
  until: instant('End of the time asked about, which does not belong to it; now if left out').optional(),
};

export const pagingParameters = {
  limit: z.int().min(1).max(LARGEST_PAGE).default(DEFAULT_LIMIT).meta({ description: 'Records on a page, at most.' }),
  cursor: text('Of the page before, with the same question.', LONGEST_CURSOR).optional(),
};

export const namespaceParameter = { namespace: text('Only of this namespace.').optional() };

export const subjectParameters = {
  subject: text(
    'A pod by its name (cart-7d9-x2k) or UID, a workload (deploy/cart), a Service (svc/cart) or an address.',
  ),
  namespace: text('Of the subject, where it is a name; a UID is looked for in this namespace alone.').optional(),
};

export const nodeParameter = { node: text('Name of a node.') };

export const moveParameters = {
  cause: z
    .array(z.enum(CAUSE_CHOICES))
    .max(CAUSE_CHOICES.length)
    .optional()
    .meta({ description: 'Only these causes; with a ! before its name, not this one.' }),
  fromNode: text('Only pods that were on this node.').optional(),
  toNode: text('Only pods whose place was taken on this node.').optional(),
};

const MOST_FOUND = 100;

export const findParameters = {
  text: text('What somebody typed: a name or a part of it, a UID or its first 8 letters, an address or its beginning.'),
  limit: z.int().min(1).max(MOST_FOUND).default(20).meta({ description: 'Matches, at most.' }),
};

export const optionalSubjectParameters = {
  subject: subjectParameters.subject.optional(),
  namespace: text('Only of this namespace; of the subject, where it is a name.').optional(),
};

const count = (least: number, most: number, usual: number, description: string) =>
  z.int().min(least).max(most).default(usual).meta({ description });

export const nodesParameters = {
  workload: text('Counts the pods of this workload on each node, too: NAMESPACE/KIND/NAME (shop/Deployment/cart).')
    .regex(/^[^/]+\/[^/]+\/[^/]+$/, 'a workload is NAMESPACE/KIND/NAME')
    .optional(),
  against: instant('Another instant, earlier or later, to compare with').optional(),
  window: count(0, 86_400, 3_600, 'Seconds before the instant in which departures are counted; 0 counts none.'),
};

export const timelineParameters = {
  since: instant('Beginning of the time asked about; a day before its end if left out').optional(),
  until: spanParameters.until,
  by: z.enum(['node', 'workload', 'pod', 'ip']).meta({ description: 'What a lane is.' }),
  node: text('Only on this node.').optional(),
  most: count(1, 200_000, 20_000, 'Intervals, at most: of more only how many there were at a time is given.'),
  buckets: count(10, 2_000, 400, 'Columns of the histogram and of densities.'),
  lanes: count(1, 10_000, 2_000, 'Lanes, at most.'),
};

export const orderParameter = {
  order: z.enum(['oldest', 'newest']).default('oldest').meta({ description: 'Which records come first.' }),
};

export const keyParameter = { key: text('Only this annotation.').optional() };

export const seenParameter = {
  seen: z
    .boolean()
    .default(false)
    .meta({ description: 'The address was seen in use then: nobody is ruled out, and one candidate is the holder.' }),
};
