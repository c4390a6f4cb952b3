// A label selector with the meaning that Kubernetes gives it, as part of the PodTracker's spec.
import { matches } from './rules.ts';
import { type Infer, list, mapOf, object, oneOf, optional, type Schema, text, type Validation } from './schema.ts';

const KEY_LIMIT = 317; // a prefix of 253, a slash and a name of 63
const VALUE_LIMIT = 63;
const NAME = '[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?';
const PREFIX = '[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const KEY = `^(${PREFIX}/)?${NAME}$`;
const KEY_ADVICE =
  'write the key of a label, such as "app" or "app.kubernetes.io/name": at most 63 letters, digits, "-", "_" and ".", and before a "/" perhaps a domain';
const VALUE_ADVICE =
  'write the value of a label, such as "web": at most 63 letters, digits, "-", "_" and ".", with a letter or digit at both ends; it is no pattern, so leave "*" out';

const value = (description: string) =>
  text(description, {
    maxLength: VALUE_LIMIT,
    'x-kubernetes-validations': [matches(`^(${NAME})?$`, VALUE_ADVICE)],
  });

/** Of a map: the server knows no other way to say what its keys are. */
const keys: Validation = {
  rule: `self.all(k, k.matches('${KEY}'))`,
  message: KEY_ADVICE,
  messageExpression: `'"' + self.filter(k, !k.matches('${KEY}'))[0] + '" cannot be: ${KEY_ADVICE}'`,
  holds: (labels) => Object.keys(labels as object).every((key) => new RegExp(KEY).test(key)),
};

const requirement = object(
  'One requirement on the value of a label.',
  {
    key: text('The label\'s key, such as "app.kubernetes.io/name".', {
      maxLength: KEY_LIMIT,
      'x-kubernetes-validations': [matches(KEY, KEY_ADVICE)],
    }),
    operator: oneOf('How the value is compared with values.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: optional(
      list('What In and NotIn compare with; Exists and DoesNotExist take none.', value('A value of the label.'), {
        maxItems: 100,
      }),
    ),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: "self.operator in ['In', 'NotIn'] ? has(self.values) && self.values.size() > 0 : !has(self.values) || self.values.size() == 0",
        message:
          'with the operators In and NotIn write at least one of values; with Exists and DoesNotExist leave values out',
        holds: (self) => {
          const { operator, values = [] } = self as { operator: string; values?: string[] };
          return (operator === 'In' || operator === 'NotIn') === values.length > 0;
        },
      },
    ],
  },
);

export type LabelRequirement = Infer<typeof requirement>;

export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: LabelRequirement[];
}

export function labelSelector(description: string): Schema<LabelSelector, true> {
  return object(
    description,
    {
      matchLabels: optional(
        mapOf(
          'Labels that must all be there with exactly these values.',
          value('The value that the label must have.'),
          { maxProperties: 100, 'x-kubernetes-validations': [keys] },
        ),
      ),
      matchExpressions: optional(list('Requirements that must all hold.', requirement, { maxItems: 100 })),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  );
}
