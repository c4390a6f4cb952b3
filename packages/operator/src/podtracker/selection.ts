// Which pods a PodTracker selects: its spec made ready to be asked for each pod event. Pure; every condition that the
// spec names must hold.
import type { LabelRequirement, LabelSelector } from '../crds/label-selector.ts';
import type { PodTrackerSpec } from '../crds/podtracker.ts';

type Labels = ReadonlyMap<string, string>;

/** What is looked at of a pod; machinery's PodView has it. */
export interface SelectablePod {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: Labels };
  readonly spec: { readonly nodeName: string };
}

export class Selection {
  /** Undefined: any. */
  readonly namespaces: ReadonlySet<string> | undefined;
  readonly #namespaceSelector: LabelSelector | undefined;
  readonly #podSelector: LabelSelector | undefined;
  readonly #namePrefix: string;
  readonly #nodeNames: ReadonlySet<string> | undefined;

  constructor(spec: PodTrackerSpec) {
    this.namespaces = asSet(spec.namespaces);
    this.#namespaceSelector = spec.namespaceSelector;
    this.#podSelector = spec.podSelector;
    this.#namePrefix = spec.namePrefix ?? '';
    this.#nodeNames = asSet(spec.nodeNames);
  }

  /** Whether a change of a namespace's labels can change the selection. */
  get dependsOnNamespaceLabels(): boolean {
    return this.#namespaceSelector !== undefined;
  }

  /** `labels` are undefined while the namespace is not known: then a selector selects nothing of it. */
  selectsNamespace(name: string, labels: Labels | undefined): boolean {
    if (this.namespaces !== undefined && !this.namespaces.has(name)) return false;
    if (this.#namespaceSelector === undefined) return true;
    return labels !== undefined && matchesLabels(this.#namespaceSelector, labels);
  }

  selects(pod: SelectablePod, namespaceLabels: Labels | undefined): boolean {
    const { name, namespace, labels } = pod.metadata;
    if (!name.startsWith(this.#namePrefix)) return false;
    if (this.#nodeNames !== undefined && !this.#nodeNames.has(pod.spec.nodeName)) return false;
    if (!this.selectsNamespace(namespace, namespaceLabels)) return false;
    return this.#podSelector === undefined || matchesLabels(this.#podSelector, labels);
  }
}

/** As Kubernetes matches: an empty selector takes everything, NotIn also takes what lacks the label. */
export function matchesLabels({ matchLabels, matchExpressions }: LabelSelector, labels: Labels): boolean {
  for (const [key, value] of Object.entries(matchLabels ?? {})) if (labels.get(key) !== value) return false;
  return (matchExpressions ?? []).every((requirement) => holds(requirement, labels));
}

function holds({ key, operator, values = [] }: LabelRequirement, labels: Labels): boolean {
  const value = labels.get(key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
  }
}

function asSet(names: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return names === undefined || names.length === 0 ? undefined : new Set(names);
}
