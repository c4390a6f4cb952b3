// What the server knows about one resource: its names, versions, scope, subresources and rules. One per built-in
// resource (built-in-resources.ts) and one per CustomResourceDefinition (custom-resource-types.ts).
import type { ResourceRules } from './rules/resource-rules.ts';

export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  /** The versions that are served, the preferred one first. */
  readonly versions: readonly string[];
  /** The version objects are kept in; others differ in `apiVersion` only. */
  readonly storageVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: readonly Subresource[];
  readonly rules: ResourceRules;
  /** Custom resources are printed and selected by what their definition says. */
  readonly custom: boolean;
  readonly printerColumns?: Readonly<Record<string, readonly PrinterColumn[]>>;
  /** Where a custom resource keeps its replicas; built-in ones keep them in spec.replicas and status.replicas. */
  readonly scalePaths?: {
    readonly specReplicas: readonly string[];
    readonly statusReplicas: readonly string[];
    readonly selector?: readonly string[];
  };
  /** Paths that field selectors may name, with a function where the path is not simply a path in the object. */
  readonly selectableFields: Readonly<Record<string, FieldGetter | undefined>>;
}

export type Subresource = 'status' | 'scale' | 'binding' | 'eviction' | 'finalize' | 'log';

export type FieldGetter = (object: Readonly<Record<string, unknown>>) => string;

/** A column that a CustomResourceDefinition asks for. */
export interface PrinterColumn {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  readonly priority?: number;
  readonly jsonPath: string;
}

/** The key of a type in the store and in names: `pods`, `deployments.apps`. */
export function typeKey(type: { readonly plural: string; readonly group: string }): string {
  return type.group === '' ? type.plural : `${type.plural}.${type.group}`;
}

export function apiVersionOf(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}
