// Its namespace or its owner was deleted, and it went with it. No event says so: the namespace first, because it takes
// the owners along.
import type { Evidence } from '../../model/evidence.ts';
import { controllerOf, firstDeletion } from '../audited.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { goingNamespace, goingOwner } from '../going.ts';
import { isTerminalFirst } from '../terminal.ts';
import { certain, inferred } from '../verdict.ts';

export function namespaceDeleted(known: Case): Verdict | undefined {
  if (isTerminalFirst(known)) return undefined;
  const request = firstDeletion(known);
  const gone = goingNamespace(known);
  const { namespace } = known.life.pod;
  const sentence = `was deleted with namespace ${namespace}.`;
  if (request !== undefined) {
    if (controllerOf(request) !== 'namespace-controller') return undefined;
    return certain('NamespaceDeleted', sentence, gone === undefined ? [request] : [gone, request]);
  }
  return gone === undefined ? undefined : inferred('NamespaceDeleted', sentence, [gone]);
}

export function ownerDeleted(known: Case): Verdict | undefined {
  const { life } = known;
  if (life.owner === undefined || isTerminalFirst(known)) return undefined;
  const request = firstDeletion(known);
  const gone = goingOwner(known);
  if (request !== undefined) {
    if (controllerOf(request) !== 'generic-garbage-collector') return undefined;
    return certain('OwnerDeleted', sentenceOf(known, gone), gone === undefined ? [request] : [gone, request]);
  }
  return gone === undefined ? undefined : inferred('OwnerDeleted', sentenceOf(known, gone), [gone]);
}

function sentenceOf({ life }: Case, gone: Evidence | undefined): string {
  const { kind, name } = gone?.about ?? life.owner ?? { kind: 'its owner', name: '' };
  return `was deleted with ${kind} ${name}.`;
}
