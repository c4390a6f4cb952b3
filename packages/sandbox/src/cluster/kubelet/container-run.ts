// One container of a pod as its kubelet knows it: waiting, running or terminated, with its last ending. A kubelet
// changes it; the pod's status shows it.
import { SeededRandom } from '../../clock/random.ts';
import type { ContainerState, ContainerStatus, ContainerTermination } from '../pod-object.ts';
import { kubeTime } from '../pod-object.ts';

export interface ContainerRun {
  readonly name: string;
  readonly image: string;
  readonly imageID: string;
  id: string | undefined;
  state: ContainerState;
  lastState: ContainerState;
  ready: boolean;
  restarts: number;
  /** Endings in a row that came too soon: they decide how long the next start is put off. */
  failures: number;
  startedAt: number;
}

export interface Ending {
  readonly exitCode: number;
  /** Completed, Error, OOMKilled, or Unknown after a reboot. */
  readonly reason: string;
}

export const COMPLETED: Ending = { exitCode: 0, reason: 'Completed' };
export const KILLED: Ending = { exitCode: 137, reason: 'Error' };

/** `waiting`: what it is waiting for, as a kubelet words it. */
export function newContainer(name: string, image: string, waiting: string): ContainerRun {
  return {
    name,
    image,
    imageID: digestOf(image),
    id: undefined,
    state: { waiting: { reason: waiting } },
    lastState: {},
    ready: false,
    restarts: 0,
    failures: 0,
    startedAt: 0,
  };
}

export function startContainer(container: ContainerRun, now: number, random: SeededRandom): void {
  if (container.state.terminated !== undefined) container.lastState = container.state;
  if (container.id !== undefined) container.restarts++;
  container.id = `containerd://${hexText(random)}`;
  container.startedAt = now;
  container.state = { running: { startedAt: kubeTime(now) } };
}

export function endContainer(container: ContainerRun, ending: Ending, now: number): void {
  if (container.state.running === undefined) return;
  const terminated: ContainerTermination = {
    exitCode: ending.exitCode,
    reason: ending.reason,
    startedAt: container.state.running.startedAt,
    finishedAt: kubeTime(now),
    containerID: container.id!,
  };
  container.state = { terminated };
  container.ready = false;
}

/** It is not started, or not again, for this reason; an ending becomes the last one. */
export function waitFor(container: ContainerRun, reason: string, restarts = container.restarts): void {
  if (container.state.terminated !== undefined) container.lastState = container.state;
  container.state = { waiting: { reason } };
  container.restarts = restarts;
}

/** Whoever waits to be started again ended before: so it is shown once the pod is to go. False where nothing changes. */
export function showLastEnding(container: ContainerRun): boolean {
  if (container.state.waiting === undefined || container.lastState.terminated === undefined) return false;
  container.state = container.lastState;
  return true;
}

/** The runtime has no trace of it: nobody knows when or how it ended, if it ever began. */
export function forgetContainer(container: ContainerRun): void {
  if (container.state.waiting === undefined) return;
  const terminated = { exitCode: 137, reason: 'ContainerStatusUnknown', startedAt: null, finishedAt: null };
  container.state = { terminated };
  container.ready = false;
}

/** Puts the next start off; the ending becomes the last one. */
export function backOff(container: ContainerRun, delayMs: number, pod: string): void {
  if (container.state.terminated !== undefined) container.lastState = container.state;
  const message = `back-off ${backOffText(delayMs)} restarting failed container=${container.name} pod=${pod}`;
  container.state = { waiting: { reason: 'CrashLoopBackOff', message } };
}

export function containerStatus(container: ContainerRun): ContainerStatus {
  const { name, image, imageID, ready, state, lastState, restarts: restartCount } = container;
  const started = state.running !== undefined;
  const seen = started || state.terminated !== undefined || restartCount > 0;
  return {
    name,
    image,
    imageID: seen ? imageID : '',
    ...(container.id === undefined ? {} : { containerID: container.id }),
    ready,
    started,
    restartCount,
    state,
    lastState,
  };
}

function backOffText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}

const digests = new Map<string, string>();

/** The same image has the same digest on every node. */
function digestOf(image: string): string {
  let digest = digests.get(image);
  if (digest === undefined) {
    let hash = 2_166_136_261;
    for (let n = 0; n < image.length; n++) hash = Math.imul(hash ^ image.charCodeAt(n), 16_777_619);
    digest = `${image.replace(/:[^/:]*$/, '')}@sha256:${hexText(new SeededRandom(hash))}`;
    digests.set(image, digest);
  }
  return digest;
}

function hexText(random: SeededRandom): string {
  let text = '';
  for (let n = 0; n < 8; n++) text += random.hex8();
  return text;
}
