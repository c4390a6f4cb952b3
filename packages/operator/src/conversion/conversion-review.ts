// What the API server asks a conversion webhook, and the answer, object by object: only one is held in both versions at
// a time. Pure over the bytes of the review; called by the conversion server.
import type { KubeObject } from '@podtrail/machinery';
import type { PodTracker } from '../crds/podtracker.ts';
import type { PodTrackerV1alpha1 } from '../crds/podtracker-v1alpha1.ts';
import { OperatorError } from '../errors.ts';
import { toV1, toV1alpha1 } from './convert-podtracker.ts';
import { type Range, ReviewFault, type SplitReview } from './review-splitter.ts';

const V1 = 'podtrail.dev/v1';
const V1ALPHA1 = 'podtrail.dev/v1alpha1';

export interface ReviewHead {
  readonly uid: string;
  readonly desiredAPIVersion: string;
}

export type ReviewResult = { readonly status: 'Success' } | { readonly status: 'Failed'; readonly message: string };

/** A part of the review's bytes as text. */
export type TextOf = (range: Range) => string;

/** Throws a ReviewFault if this is another document. */
export function headOf({ kind, uid, desiredAPIVersion }: SplitReview, textOf: TextOf): ReviewHead {
  if (word(textOf(kind)) !== 'ConversionReview') throw new ReviewFault(400, 'the body is no ConversionReview');
  return { uid: word(textOf(uid)), desiredAPIVersion: word(textOf(desiredAPIVersion)) };
}

/** The converted objects as JSON, in the order of the review. What it throws is reported by `failureOf`. */
export function* convertedObjects(
  { objects }: SplitReview,
  { desiredAPIVersion }: ReviewHead,
  textOf: TextOf,
): Generator<string, void> {
  for (const range of objects) yield JSON.stringify(convert(JSON.parse(textOf(range)), desiredAPIVersion));
}

/** The answer's beginning, up to the objects. The result stands behind them, when it is known. */
export function opening({ uid }: ReviewHead): string {
  const about = '"apiVersion":"apiextensions.k8s.io/v1","kind":"ConversionReview"';
  return `{${about},"response":{"uid":${JSON.stringify(uid)},"convertedObjects":[`;
}

export function closing(result: ReviewResult): string {
  return `],"result":${JSON.stringify(result)}}}`;
}

/** API servers take all objects or, of a failed one, none; the message is all that whoever wrote the object sees. */
export function failureOf(error: unknown): ReviewResult {
  const message = error instanceof OperatorError ? sentence(error) : `it is shaped as no PodTracker is (${error})`;
  return { status: 'Failed', message };
}

function convert(object: unknown, to: string): KubeObject {
  if (!isObject(object)) throw new OperatorError('not-convertible', 'an object of the review has no metadata');
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

function sentence({ message, hint }: OperatorError): string {
  return hint === undefined ? message : `${message}; ${hint}`;
}

function isObject(value: unknown): value is KubeObject {
  const { metadata } = (value ?? {}) as { metadata?: unknown };
  return typeof metadata === 'object' && metadata !== null;
}

/** A short text, as UIDs and versions are. */
function word(json: string): string {
  const value: unknown = json.length <= 300 && json.startsWith('"') ? JSON.parse(json) : undefined;
  if (typeof value !== 'string') throw new ReviewFault(400, 'the body is no ConversionReview');
  return value;
}
