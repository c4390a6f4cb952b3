// How a pod's containers ended, gathered from its container statuses. Called by the pod codec; containers that run and
// have never ended cost nothing but the skipping.
import { integer, type JsonObject, list, optionalPart, sharedText, time } from './json-reader.ts';
import { NO_ITEMS, type Unfinished } from './metadata-view.ts';
import { type ContainerKind, ContainerTermination } from './pod-view.ts';
import type { ProtoReader } from './proto-reader.ts';

/** Reads one ContainerStatus and returns `before` with what it adds. */
export function readTerminations(
  r: ProtoReader,
  outerTag: number,
  kind: ContainerKind,
  before: readonly ContainerTermination[],
): readonly ContainerTermination[] {
  const outer = r.enter(outerTag);
  const start = r.pos;
  let current: Unfinished<ContainerTermination> | undefined;
  let last: Unfinished<ContainerTermination> | undefined;
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 2:
        current = readState(r, tag);
        break;
      case 3:
        last = readState(r, tag);
        break;
      default:
        r.skip(tag);
    }
  }
  if (current === undefined && last === undefined) {
    r.leave(outer);
    return before;
  }
  // Something has ended: only now are the name and the count worth a second walk.
  r.pos = start;
  let container = '';
  let restartCount = 0;
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) container = r.interned(tag);
    else if (tag >>> 3 === 5) restartCount = r.int32(tag);
    else r.skip(tag);
  }
  r.leave(outer);
  const all = before.slice();
  for (const one of [current, last]) {
    if (one === undefined) continue;
    one.container = container;
    one.kind = kind;
    one.current = one === current;
    one.restartCount = restartCount;
    all.push(one);
  }
  return all;
}

export function terminationsFromJson(status: JsonObject): readonly ContainerTermination[] {
  const all: ContainerTermination[] = [];
  const gather = (field: string, kind: ContainerKind) =>
    list(status, field, (json) => {
      for (const state of ['state', 'lastState']) {
        const from = optionalPart(json, state);
        const terminated = from === undefined ? undefined : optionalPart(from, 'terminated');
        if (terminated === undefined) continue;
        const one = terminationFromJson(terminated);
        one.container = sharedText(json, 'name');
        one.kind = kind;
        one.current = state === 'state';
        one.restartCount = integer(json, 'restartCount') ?? 0;
        all.push(one);
      }
    });
  gather('containerStatuses', 'regular');
  gather('initContainerStatuses', 'init');
  gather('ephemeralContainerStatuses', 'ephemeral');
  return all.length === 0 ? NO_ITEMS : all;
}

/** Of a ContainerState only `terminated` is of interest. */
function readState(r: ProtoReader, outerTag: number): Unfinished<ContainerTermination> | undefined {
  const outer = r.enter(outerTag);
  let termination: Unfinished<ContainerTermination> | undefined;
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 3) termination = readTerminated(r, tag);
    else r.skip(tag);
  }
  r.leave(outer);
  return termination;
}

function readTerminated(r: ProtoReader, outerTag: number): Unfinished<ContainerTermination> {
  const outer = r.enter(outerTag);
  const one: Unfinished<ContainerTermination> = new ContainerTermination();
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 1:
        one.exitCode = r.int32(tag);
        break;
      case 2:
        one.signal = r.int32(tag);
        break;
      case 3:
        one.reason = r.interned(tag);
        break;
      case 4:
        one.message = r.recurring(tag);
        break;
      case 5:
        one.startedAt = r.time(tag);
        break;
      case 6:
        one.finishedAt = r.time(tag);
        break;
      default:
        r.skip(tag);
    }
  }
  r.leave(outer);
  return one;
}

function terminationFromJson(json: JsonObject): Unfinished<ContainerTermination> {
  const one: Unfinished<ContainerTermination> = new ContainerTermination();
  one.exitCode = integer(json, 'exitCode') ?? 0;
  one.signal = integer(json, 'signal') ?? 0;
  one.reason = sharedText(json, 'reason');
  one.message = sharedText(json, 'message');
  one.startedAt = time(json, 'startedAt');
  one.finishedAt = time(json, 'finishedAt');
  return one;
}
