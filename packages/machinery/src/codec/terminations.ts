// How a pod's containers ended, since when they run, and whether some are still to be made: gathered from its container
// statuses. Called by the pod codec.
import { integer, type JsonObject, list, optionalPart, sharedText, text, time } from './json-reader.ts';
import { NO_ITEMS, type Unfinished } from './metadata-view.ts';
import { digestName, digestText } from './name-digest.ts';
import { type ContainerKind, ContainerTermination, type PodStatusView } from './pod-view.ts';
import type { ProtoReader } from './proto-reader.ts';
import { joinLists } from './repeated.ts';

/** What a kubelet says of a container that it has not made yet; it says nothing more while it pulls the image. */
const NOT_MADE = new Set(['ContainerCreating', 'PodInitializing']);

type ContainersOf = Pick<Unfinished<PodStatusView>, 'terminations' | 'runningSince' | 'creating' | 'images'>;

/** Reads one ContainerStatus and adds to `status` what it says. */
export function readContainerStatus(r: ProtoReader, outerTag: number, kind: ContainerKind, status: ContainersOf): void {
  const outer = r.enter(outerTag);
  const start = r.pos;
  let current: Unfinished<ContainerTermination> | undefined;
  let last: Unfinished<ContainerTermination> | undefined;
  while (r.pos < r.limit) {
    const tag = r.tag();
    switch (tag >>> 3) {
      case 2:
        current = readState(r, tag, status);
        break;
      case 3:
        last = readState(r, tag, undefined);
        break;
      case 6:
        status.images = digestName(r, tag, status.images);
        break;
      default:
        r.skip(tag);
    }
  }
  if (current === undefined && last === undefined) {
    r.leave(outer);
    return;
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
  const run: ContainerTermination[] = [];
  for (const one of [current, last]) {
    if (one === undefined) continue;
    one.container = container;
    one.kind = kind;
    one.current = one === current;
    one.restartCount = restartCount;
    run.push(one);
  }
  status.terminations = joinLists(status.terminations, run);
}

export function containersFromJson(status: JsonObject, into: ContainersOf): void {
  const all: ContainerTermination[] = [];
  const gather = (field: string, kind: ContainerKind) =>
    list(status, field, (json) => {
      into.images = digestText(text(json, 'image'), into.images);
      for (const state of ['state', 'lastState']) {
        const from = optionalPart(json, state);
        if (from !== undefined && state === 'state') presentFromJson(from, into);
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
  into.terminations = all.length === 0 ? NO_ITEMS : all;
}

function presentFromJson(state: JsonObject, into: ContainersOf): void {
  const running = optionalPart(state, 'running');
  if (running !== undefined) runs(into, time(running, 'startedAt'));
  const waiting = optionalPart(state, 'waiting');
  if (waiting !== undefined && NOT_MADE.has(sharedText(waiting, 'reason'))) into.creating = true;
}

function runs(into: ContainersOf, since: number | undefined): void {
  if (since !== undefined && (into.runningSince === undefined || since < into.runningSince)) into.runningSince = since;
}

/** A ContainerState; of the one before a restart (`present` undefined) only the end is of interest. */
function readState(
  r: ProtoReader,
  outerTag: number,
  present: ContainersOf | undefined,
): Unfinished<ContainerTermination> | undefined {
  const outer = r.enter(outerTag);
  let termination: Unfinished<ContainerTermination> | undefined;
  while (r.pos < r.limit) {
    const tag = r.tag();
    const field = tag >>> 3;
    if (field === 3) termination = readTerminated(r, tag);
    else if (field === 2 && present !== undefined) readRunning(r, tag, present);
    else if (field === 1 && present !== undefined) readWaiting(r, tag, present);
    else r.skip(tag);
  }
  r.leave(outer);
  return termination;
}

function readRunning(r: ProtoReader, outerTag: number, into: ContainersOf): void {
  const outer = r.enter(outerTag);
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) runs(into, r.time(tag));
    else r.skip(tag);
  }
  r.leave(outer);
}

function readWaiting(r: ProtoReader, outerTag: number, into: ContainersOf): void {
  const outer = r.enter(outerTag);
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1 && NOT_MADE.has(r.interned(tag))) into.creating = true;
    else if (tag >>> 3 !== 1) r.skip(tag);
  }
  r.leave(outer);
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
