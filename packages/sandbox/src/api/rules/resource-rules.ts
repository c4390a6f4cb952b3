// What differs between resources when they are written: defaults, what a client may not set, what is checked. The
// verbs call these; every function works on a draft that nobody else sees.
import type { FieldError } from '../api-status-error.ts';
import type { JsonObject } from '../json-object.ts';

export interface RuleContext {
  /** RFC 3339 in whole seconds, as Kubernetes writes times. */
  readonly now: string;
  readonly random: () => number;
  /** A free address for a Service. */
  readonly nextServiceAddress: () => string;
  /** Labels of a node, for what pods inherit from theirs. */
  readonly nodeLabels: (name: string) => Readonly<Record<string, string>> | undefined;
}

export interface ResourceRules {
  readonly names: 'subdomain' | 'label' | 'path';
  /** Whether metadata.generation counts the changes of what is neither metadata nor status. */
  readonly generation: boolean;
  /** Whether `status` is written through its own subresource only. */
  readonly separateStatus: boolean;
  /** Whether changes of annotations count too. */
  readonly annotationsCount?: boolean;
  /** What of the metadata is written together with the status: built-in resources let that happen. */
  readonly metadataWithStatus: 'all' | 'all but labels' | 'all but owners' | 'none';
  /** Pods stay, marked, until their kubelet confirms the deletion. */
  readonly graceful: boolean;
  /** What a deletion is answered with: the object, or a Status that says so. */
  readonly answersDeletionWith: 'object' | 'status';
  /** Whether a PUT over HTTP must name the version it is based on. */
  readonly versionedUpdates: boolean;
  /** What happens to dependents where a deletion does not say. */
  readonly propagation: 'Background' | 'Orphan';
  /** What is written of a status also where nothing of it was given; without it an absent status stays absent. */
  zeroStatus?(): JsonObject;
  prepareCreate?(draft: JsonObject, context: RuleContext): void;
  /** After defaults; only where something else than metadata and status changed. */
  prepareUpdate?(draft: JsonObject, current: JsonObject, context: RuleContext): void;
  /** Where the status was written. */
  prepareStatus?(draft: JsonObject, current: JsonObject): void;
  validate?(draft: JsonObject): readonly FieldError[];
  validateUpdate?(draft: JsonObject, current: JsonObject): readonly FieldError[];
  /** Where the status was written. */
  validateStatus?(draft: JsonObject, current: JsonObject): readonly FieldError[];
}

export const PLAIN_RULES: ResourceRules = {
  names: 'subdomain',
  generation: false,
  separateStatus: false,
  metadataWithStatus: 'all',
  graceful: false,
  answersDeletionWith: 'status',
  versionedUpdates: false,
  propagation: 'Background',
};
