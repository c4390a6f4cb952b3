// Evidence about nodes, from the stream that the ledger follows anyway: what changed between two sightings of one. Where
// the node was not seen before, or not by this recorder, only what cannot have been recorded yet.
import type { Provenance } from '../../model/boundary.ts';
import type { Evidence, EvidenceKind } from '../../model/evidence.ts';
import type { LiveHolder } from '../../model/fact.ts';
import type { EpochMillis } from '../../model/time.ts';
import { isPossible } from '../../observe/evidence.ts';
import type { ObservedNode } from '../../observe/observation.ts';
import { LONGEST_DELIVERY_MS } from '../../observe/stream.ts';
import { cordonedSince, isSame, type NodeState, stateOf, type Timed } from './node-state.ts';

/** What there is to say; the node and the provenance are the same for all of one sighting. */
interface Trace {
  readonly what: EvidenceKind;
  /** When, as its source says it. */
  readonly since?: EpochMillis | undefined;
  readonly reason?: string;
  readonly message?: string;
}

export class NodeTraces {
  /** By UID. */
  readonly #known = new Map<string, NodeState>();

  /** `live`: what the ledger remembered of it before. `isNew`: it was created while somebody watched. */
  present(node: ObservedNode, live: LiveHolder | undefined, isNew: boolean, provenance: Provenance): Evidence[] {
    const { uid } = node.metadata;
    const at = provenance.observedAt;
    const before = this.#known.get(uid);
    const now = stateOf(node, at);
    // A kubelet posts often, and mostly what it posted before.
    if (before === undefined || !isUnchanged(before, now)) this.#known.set(uid, now);
    const traces = before === undefined ? firstTraces(node, now, live, isNew, at) : changes(before, now);
    return traces.map((trace) => evidenceOf(trace, node.metadata.name, uid, provenance));
  }

  gone(name: string, uid: string, provenance: Provenance): Evidence[] {
    this.#known.delete(uid);
    return [evidenceOf({ what: 'deleted' }, name, uid, provenance)];
  }

  /** The ledger has this version of it already: nothing of it is new. */
  recognise(node: ObservedNode, at: EpochMillis): void {
    const { uid } = node.metadata;
    if (!this.#known.has(uid)) this.#known.set(uid, stateOf(node, at));
  }
}

function changes(before: NodeState, now: NodeState): Trace[] {
  const traces: Trace[] = [];
  if (before.isCordoned !== now.isCordoned) traces.push({ what: now.isCordoned ? 'cordoned' : 'uncordoned' });
  for (const taint of now.taints) if (!includes(before.taints, taint)) traces.push(tainted(taint));
  for (const { text } of before.taints) {
    if (!now.taints.some((taint) => taint.text === text)) traces.push({ what: 'untainted', reason: text });
  }
  for (const one of now.conditions) {
    if (!includes(before.conditions, one) && isNews(before, one)) traces.push(conditioned(one));
  }
  if (before.bootId !== '' && now.bootId !== '' && now.bootId !== before.bootId) traces.push(booted(now));
  if (now.isTerminating && !before.isTerminating) traces.push({ what: 'terminating' });
  return traces;
}

/** Without a state to compare with: what is younger than the last sighting by an earlier recorder, or is not normal. */
function firstTraces(
  { metadata }: ObservedNode,
  now: NodeState,
  live: LiveHolder | undefined,
  isNew: boolean,
  at: EpochMillis,
): Trace[] {
  const recorded = live === undefined ? undefined : live.seenAt - LONGEST_DELIVERY_MS;
  const isRecorded = (since: EpochMillis | undefined) =>
    recorded !== undefined && since !== undefined && since < recorded;
  const traces: Trace[] = [];
  if (isNew) {
    const { creationTimestamp } = metadata;
    traces.push({
      what: 'created',
      since: isPossible(creationTimestamp, at) ? (creationTimestamp as EpochMillis) : undefined,
    });
  }
  if (now.isCordoned && !isRecorded(cordonedSince(now))) traces.push({ what: 'cordoned', since: cordonedSince(now) });
  // It may have been cordoned when the recorder before last saw it: then nobody saw the end of that.
  if (!now.isCordoned && live !== undefined) traces.push({ what: 'uncordoned' });
  for (const taint of now.taints) if (!isRecorded(taint.since)) traces.push(tainted(taint));
  for (const one of now.conditions) {
    if (live === undefined ? !one.isNormal : one.since !== undefined && !isRecorded(one.since))
      traces.push(conditioned(one));
  }
  const bootId = live?.more?.machine?.bootId ?? '';
  if (bootId !== '' && now.bootId !== '' && bootId !== now.bootId) traces.push(booted(now));
  if (now.isTerminating) traces.push({ what: 'terminating' });
  return traces;
}

/** That a node is short of nothing is news after it was short. One that is lost and comes back says it every time. */
function isNews({ conditions }: NodeState, { text }: Timed): boolean {
  const [type = ''] = text.split('=');
  return !type.endsWith('Pressure') || [text, ...conditions.map((one) => one.text)].includes(`${type}=True`);
}

function tainted({ text, since }: Timed): Trace {
  return { what: 'tainted', since, reason: text };
}

function conditioned({ text, since, reason }: NodeState['conditions'][number]): Trace {
  return { what: 'condition', since, reason: text, message: reason };
}

function booted({ bootId }: NodeState): Trace {
  return { what: 'booted', reason: bootId };
}

/** Ends of a node's object, and its boots, happen once; what has a time of its own is known by it. */
function evidenceOf(trace: Trace, name: string, uid: string, provenance: Provenance): Evidence {
  const { what, since, reason = '', message = '' } = trace;
  const { epoch, resourceVersion, observedAt } = provenance;
  const isOnce = what === 'created' || what === 'deleted' || what === 'terminating' || what === 'booted';
  const when = isOnce ? '' : `/${since ?? `${epoch}.${resourceVersion}`}`;
  return {
    ...provenance,
    id: `${uid}/${what}${reason === '' ? '' : `/${reason}`}${when}`,
    about: { kind: 'Node', namespace: '', name, uid },
    what,
    at: since ?? observedAt,
    reason,
    message,
    by: '',
    count: 1,
  };
}

function includes(known: readonly Timed[], one: Timed): boolean {
  return known.some((other) => isSame(other, one));
}

function isUnchanged(before: NodeState, now: NodeState): boolean {
  return (
    before.taints.length === now.taints.length &&
    before.conditions.length === now.conditions.length &&
    changes(before, now).length === 0
  );
}
