// What the API server asks a conversion webhook, and the answer: a pure function over the review.
import type { KubeObject } from '@podtrail/machinery';
import type { PodTracker } from '../crds/podtracker.ts';
import type { PodTrackerV1alpha1 } from '../crds/podtracker-v1alpha1.ts';
import { OperatorError } from '../errors.ts';
import { toV1, toV1alpha1 } from './convert-podtracker.ts';

const REVIEW = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'ConversionReview' } as const;
const V1 = 'podtrail.dev/v1';
const V1ALPHA1 = 'podtrail.dev/v1alpha1';

export interface ConversionReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response: {
    readonly uid: string;
    readonly result: { readonly status: 'Success' } | { readonly status: 'Failed'; readonly message: string };
    readonly convertedObjects?: readonly KubeObject[];
  };
}

/** Undefined if this is no review at all. All objects are converted, or none. */
export function answerReview(review: unknown): ConversionReview | undefined {
  const request = requestOf(review);
  if (request === undefined) return undefined;
  const { uid, desiredAPIVersion, objects } = request;
  try {
    const convertedObjects = objects.map((object) => convert(object, desiredAPIVersion));
    return { ...REVIEW, response: { uid, result: { status: 'Success' }, convertedObjects } };
  } catch (error) {
    const message = error instanceof OperatorError ? sentence(error) : `it is shaped as no PodTracker is (${error})`;
    return { ...REVIEW, response: { uid, result: { status: 'Failed', message }, convertedObjects: [] } };
  }
}

function convert(object: KubeObject, to: string): KubeObject {
  const { apiVersion: from, kind, metadata } = object;
  if (kind !== 'PodTracker')
    throw new OperatorError('not-convertible', `only PodTrackers are converted here, and this is a ${kind}`);
  if (from === to) return object;
  if (from === V1 && to === V1ALPHA1) return toV1alpha1(object as PodTracker);
  if (from === V1ALPHA1 && to === V1) return toV1(object as PodTrackerV1alpha1);
  throw new OperatorError(
    'not-convertible',
    `${metadata.name ?? 'a PodTracker'} cannot be converted from ${from} to ${to}: known are ${V1} and ${V1ALPHA1}`,
  );
}

/** All that whoever wrote the object gets to see. */
function sentence({ message, hint }: OperatorError): string {
  return hint === undefined ? message : `${message}; ${hint}`;
}

interface Request {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly KubeObject[];
}

function requestOf(review: unknown): Request | undefined {
  const { kind, request } = (review ?? {}) as { kind?: unknown; request?: Partial<Request> };
  if (kind !== REVIEW.kind || typeof request !== 'object' || request === null) return undefined;
  const { uid, desiredAPIVersion, objects } = request;
  if (typeof uid !== 'string' || typeof desiredAPIVersion !== 'string' || !Array.isArray(objects)) return undefined;
  return objects.every(isObject) ? { uid, desiredAPIVersion, objects } : undefined;
}

function isObject(value: unknown): value is KubeObject {
  const { metadata } = (value ?? {}) as { metadata?: unknown };
  return typeof metadata === 'object' && metadata !== null;
}
