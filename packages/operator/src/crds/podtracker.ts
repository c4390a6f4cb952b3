// PodTracker v1, the stored version: which pods to track, and where they are now.
import type { KubeObject } from '@podtrail/machinery';
import { labelSelector } from './label-selector.ts';
import {
  count,
  flag,
  type Infer,
  list,
  object,
  oneOf,
  optional,
  text,
  time,
  type Validation,
  withDefault,
} from './schema.ts';
import { nodeEntries, podEntries } from './tracked-entries.ts';

const DNS_LABEL = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$';
const DNS_SUBDOMAIN = '^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$';

/** Every item must match; the message names the first one that does not. */
function eachMatches(pattern: string, advice: string): Validation {
  return {
    rule: `self.all(n, n.matches('${pattern}'))`,
    message: advice,
    messageExpression: `'"' + self.filter(n, !n.matches('${pattern}'))[0] + '" cannot be: ${advice}'`,
  };
}

const notEmpty = (advice: string): Validation => ({ rule: 'self.size() > 0', message: advice });

const configMaps = object('Hourly ConfigMaps that say on which node each pod was.', {
  enabled: withDefault(flag('Whether the ConfigMaps are written.'), false),
  namespace: withDefault(
    text('Where the ConfigMaps are written.', {
      maxLength: 63,
      'x-kubernetes-validations': [
        { rule: `self.matches('${DNS_LABEL}')`, message: 'write the name of one namespace, such as "default"' },
      ],
    }),
    'default',
  ),
  retention: withDefault(
    text('How long a ConfigMap is kept after its hour, such as "168h" or "7d".', {
      maxLength: 32,
      'x-kubernetes-validations': [
        {
          rule: "self.matches('^([0-9]+(d|h|m|s))+$')",
          message: 'write an age as numbers with the units d, h, m and s, such as "168h" or "7d"',
        },
      ],
    }),
    '168h',
  ),
});

const spec = object(
  'Which pods are tracked. A pod is tracked if everything that is written here holds for it; {} tracks all pods.',
  {
    namespaces: optional(
      list('Only pods of these namespaces. Left out: of all.', text('The name of a namespace.', { maxLength: 63 }), {
        'x-kubernetes-list-type': 'set',
        maxItems: 1000,
        'x-kubernetes-validations': [
          notEmpty('leave namespaces out to track pods of all namespaces, or name at least one'),
          eachMatches(
            DNS_LABEL,
            'name each namespace in full, such as "shop"; for all that have a label in common use namespaceSelector',
          ),
        ],
      }),
    ),
    namespaceSelector: optional(labelSelector('Only pods of namespaces with these labels. Left out: of all.')),
    podSelector: optional(labelSelector('Only pods with these labels. Left out: all.')),
    namePrefix: optional(
      text('Only pods whose name begins with this, such as "web-".', {
        maxLength: 253,
        'x-kubernetes-validations': [
          {
            rule: "self == '' || self.matches('^[a-z0-9][-.a-z0-9]*$')",
            message:
              'write how the names of the pods begin, such as "web-": lower-case letters, digits, "-" and "."; it is no pattern, so leave "*" out',
          },
        ],
      }),
    ),
    nodeNames: optional(
      list('Only pods on these nodes. Left out: on all.', text('The name of a node.', { maxLength: 253 }), {
        'x-kubernetes-list-type': 'set',
        maxItems: 1000,
        'x-kubernetes-validations': [
          notEmpty('leave nodeNames out to track pods on all nodes, or name at least one'),
          eachMatches(DNS_SUBDOMAIN, 'name each node in full, as kubectl get nodes prints it'),
        ],
      }),
    ),
    footprints: optional(
      object('Where the tracked pods were, written down besides status.', {
        log: withDefault(flag('Whether a JSON line for each pod is written to the log of the operator.'), false),
        configMaps: optional(configMaps),
      }),
    ),
    annotations: optional(
      object("Changes of the tracked pods' annotations, reported in the log of the operator. Never touches status.", {
        enabled: withDefault(flag('Whether changes are reported.'), false),
        keys: optional(
          list(
            'Only these annotations. Left out: all.',
            text('An annotation\'s key, or a pattern with "*", such as "example.com/*".', { maxLength: 317 }),
            {
              'x-kubernetes-list-type': 'set',
              maxItems: 100,
              'x-kubernetes-validations': [
                notEmpty('leave keys out to report all annotations, or name at least one, such as "example.com/*"'),
              ],
            },
          ),
        ),
      }),
    ),
  },
);

const condition = object('One aspect of how the tracker is doing.', {
  type: text('Ready, Degraded or Sliced.'),
  status: oneOf('Whether the condition holds.', ['True', 'False', 'Unknown']),
  reason: text('Why, as one word for programs.'),
  message: text('Why, as a sentence for people.'),
  lastTransitionTime: time('When status changed last.'),
  observedGeneration: optional(count('The generation of the spec that the condition is about.')),
});

const status = object('Where the selected pods are now. Written by the operator only.', {
  observedGeneration: optional(count('The generation of the spec that this status is about.')),
  conditions: optional(
    list(
      'Ready: everything that is selected is listed. Degraded: it cannot be written. Sliced: it is in slices.',
      condition,
      {
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['type'],
      },
    ),
  ),
  counts: optional(
    object('How much is tracked.', {
      pods: count('Pods that are selected, have not ended and have an address.'),
      nodes: count('Nodes on which these pods run.'),
      slices: count('PodTrackerSlices that list them; 0 while status itself does.'),
    }),
  ),
  pods: podEntries('The pods by their UID, while there are at most 100. More are in PodTrackerSlices.'),
  nodes: nodeEntries('The nodes on which these pods run by their name, while there are at most 100.'),
});

/** The name becomes the value of a label on every slice. */
const name: Validation = {
  rule: 'self.metadata.name.size() <= 63',
  message: 'choose a name of at most 63 characters: it becomes the value of the label podtrail.dev/tracker on slices',
};

export const podTracker = object(
  'Keeps the addresses and nodes of the pods that it selects.',
  { spec: withDefault(spec, {}), status: optional(status) },
  { 'x-kubernetes-validations': [name] },
);

export type PodTrackerSpec = Infer<typeof spec>;
export type PodTrackerStatus = Infer<typeof status>;
export type Condition = Infer<typeof condition>;

export interface PodTracker extends KubeObject {
  spec: PodTrackerSpec;
  status?: PodTrackerStatus;
}
