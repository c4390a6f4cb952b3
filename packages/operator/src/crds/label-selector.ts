// A label selector with the meaning that Kubernetes gives it, as part of the PodTracker's spec.
import { type Infer, list, mapOf, object, oneOf, optional, type Schema, text } from './schema.ts';

const KEY_LIMIT = 317; // a prefix of 253, a slash and a name of 63
const VALUE_LIMIT = 63;

const requirement = object(
  'One requirement on the value of a label.',
  {
    key: text('The label\'s key, such as "app.kubernetes.io/name".', { maxLength: KEY_LIMIT }),
    operator: oneOf('How the value is compared with values.', ['In', 'NotIn', 'Exists', 'DoesNotExist']),
    values: optional(
      list('What In and NotIn compare with; Exists and DoesNotExist take none.', text('A value of the label.'), {
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
          text('The value that the label must have.', { maxLength: VALUE_LIMIT }),
          { maxProperties: 100 },
        ),
      ),
      matchExpressions: optional(list('Requirements that must all hold.', requirement, { maxItems: 100 })),
    },
    { 'x-kubernetes-map-type': 'atomic' },
  );
}
