// Which moves are wanted. What a departure says itself is decided before anything else is read; the rest after.
import type { Departure } from '../../model/pod-life.ts';
import type { Cause } from '../cause.ts';
import type { Move } from './moves.ts';

export interface MoveFilters {
  /** Undefined: all. */
  readonly namespace?: string | undefined;
  readonly fromNode?: string | undefined;
  readonly toNode?: string | undefined;
  readonly causes?: readonly Cause[] | undefined;
}

export function isWantedDeparture({ namespace, fromNode }: MoveFilters, { pod }: Departure): boolean {
  return isSame(namespace, pod.namespace) && isSame(fromNode, pod.node);
}

export function isWantedMove(filters: MoveFilters, { departure, to, verdict }: Move): boolean {
  const { causes, toNode } = filters;
  return (
    isWantedDeparture(filters, departure) &&
    (toNode === undefined || to?.life.pod.node === toNode) &&
    (causes === undefined || causes.includes(verdict.cause))
  );
}

function isSame(wanted: string | undefined, value: string): boolean {
  return wanted === undefined || wanted === value;
}
