// PodTracker v1, the stored version: which pods to track, and where they are now.
import type { KubeObject } from '@podtrail/machinery';
import { labelSelector } from './label-selector.ts';
import {
  DNS_LABEL,
  DNS_SUBDOMAIN,
  eachMatches,
  matches,
  NAME_RULE,
  NAMESPACE_ADVICE,
  notEmpty,
  RETENTION_RULES,
} from './rules.ts';
import { count, flag, type Infer, list, object, oneOf, optional, text, time, withDefault } from './schema.ts';
import { nodeEntries, podEntries } from './tracked-entries.ts';

/** The most namespaces that status remembers. */
export const PLACES_LIMIT = 100;

const configMaps = object('Hourly ConfigMaps that say on which node each pod was.', {
  enabled: withDefault(flag('Whether the ConfigMaps are written. Left out: they are not.'), false),
  // No default of the schema: only the operator knows the namespace that it runs in.
  namespace: optional(
    text("Where the ConfigMaps are written. Left out: in the operator's own namespace.", {
      maxLength: 63,
      'x-kubernetes-validations': [matches(DNS_LABEL, 'write the name of one namespace, such as "default"')],
    }),
  ),
  retention: withDefault(
    text('How long a ConfigMap is kept after its hour, such as "7d" or "never". Left out: "168h", which is a week.', {
      maxLength: 32,
      'x-kubernetes-validations': RETENTION_RULES,
    }),
    '168h',
  ),
});

const annotations = object(
  "Changes of the tracked pods' annotations, reported in the log of the operator. Never touches status.",
  {
    // No default: beside keys it is asked for, and what the server fills in looks like what was written.
    enabled: optional(flag('Whether changes are reported. Left out: they are not.')),
    keys: optional(
      list(
        'Only these annotations. Left out: all.',
        text('An annotation\'s key, or a pattern with "*" and "?", such as "example.com/*".', { maxLength: 317 }),
        {
          'x-kubernetes-list-type': 'set',
          maxItems: 100,
          'x-kubernetes-validations': [
            notEmpty('leave keys out to report all annotations, or name at least one, such as "example.com/*"'),
            eachMatches(
              '^[-A-Za-z0-9_./*?]+$',
              'write the key of an annotation or a pattern, such as "example.com/*"; leave keys out to report all',
            ),
          ],
        },
      ),
    ),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: '!has(self.keys) || has(self.enabled)',
        message: 'beside keys write "enabled: true", or "enabled: false" to keep them for later',
        holds: (self) => {
          const { keys, enabled } = self as { keys?: unknown; enabled?: unknown };
          return keys === undefined || enabled !== undefined;
        },
      },
    ],
  },
);

const spec = object(
  'Which pods are tracked. A pod is tracked if everything that is written here holds for it; {} tracks all pods.',
  {
    namespaces: optional(
      list('Only pods of these namespaces. Left out: of all.', text('The name of a namespace.', { maxLength: 63 }), {
        'x-kubernetes-list-type': 'set',
        maxItems: 1000,
        'x-kubernetes-validations': [
          notEmpty('leave namespaces out to track pods of all namespaces, or name at least one'),
          eachMatches(DNS_LABEL, NAMESPACE_ADVICE),
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
            holds: (prefix) => /^([a-z0-9][-.a-z0-9]*)?$/.test(prefix as string),
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
        log: withDefault(
          flag('Whether the operator writes a JSON line for each pod to its standard output. Left out: it does not.'),
          false,
        ),
        configMaps: optional(configMaps),
      }),
    ),
    annotations: optional(annotations),
    events: optional(
      object('Events on the PodTracker that are written only where they are asked for.', {
        podMoved: withDefault(
          flag(
            'Whether the operator writes an Event PodMoved when a tracked pod moved to another node, with the cause. At most 25 at once, then one in five minutes. Left out: it does not.',
          ),
          false,
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
      'Ready: every selected pod that has an address and has not ended is listed. Degraded: the list cannot be kept up, or the hourly ConfigMaps cannot be written. Sliced: pods or nodes are in slices.',
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
  configMaps: optional(
    list(
      'Where the hourly ConfigMaps of this tracker are: first where they are written now, then where it has left some that have not expired yet.',
      object('One namespace with hourly ConfigMaps.', {
        namespace: text('The name of the namespace.'),
        retention: text('How long each of them is kept after its hour; of those that were left, as it was then.'),
      }),
      { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['namespace'], maxItems: PLACES_LIMIT },
    ),
  ),
  pods: podEntries(
    'The pods by their UID, unless they are in PodTrackerSlices: above 100 they go there, and back at 80.',
  ),
  nodes: nodeEntries(
    'The nodes on which these pods run by their name, unless they are in PodTrackerSlices, as with pods.',
  ),
});

export const podTracker = object(
  'Keeps the addresses and nodes of the pods that it selects.',
  { spec: withDefault(spec, {}), status: optional(status) },
  { 'x-kubernetes-validations': [NAME_RULE] },
);

export type PodTrackerSpec = Infer<typeof spec>;
export type PodTrackerStatus = Infer<typeof status>;
export type Condition = Infer<typeof condition>;

export interface PodTracker extends KubeObject {
  spec: PodTrackerSpec;
  status?: PodTrackerStatus;
}
