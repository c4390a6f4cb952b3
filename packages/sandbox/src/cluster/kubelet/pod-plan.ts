// What the containers of a pod will do, as its spec and its annotations say: how long an image takes, how long they run,
// how they end, whether they obey a signal. What is not said is drawn by the worker from its kubelet's timings. Pure.
import type { Container, PodObject } from '../pod-object.ts';

/** On a pod: how many seconds its containers run, and how they end (also when they are stopped). */
export const RUNS_FOR = 'sandbox.podtrail.dev/runs-for-seconds';
export const EXIT_CODE = 'sandbox.podtrail.dev/exit-code';
/** The same for its init containers: a second, and well, unless said. */
const INIT_RUNS_FOR = 'sandbox.podtrail.dev/init-runs-for-seconds';
const INIT_EXIT_CODE = 'sandbox.podtrail.dev/init-exit-code';
/** How long the image of its last container is pulled; `never`: there is none. */
const PULLS_FOR = 'sandbox.podtrail.dev/pulls-for-seconds';
/** How long its containers take to end after the signal; `never`: they do not obey. */
const STOPS_IN = 'sandbox.podtrail.dev/stops-in-seconds';

export type Asked = number | 'never' | undefined;

/** Milliseconds, or never; undefined where the pod does not say. */
export function pullOf(pod: PodObject, container: number): Asked {
  return container === pod.spec.containers.length - 1 ? asked(pod, PULLS_FOR) : undefined;
}

export function stopOf(pod: PodObject): Asked {
  return asked(pod, STOPS_IN);
}

export function runOf(pod: PodObject): Asked {
  return asked(pod, RUNS_FOR);
}

export function exitCodeOf(pod: PodObject): number | undefined {
  const text = pod.metadata.annotations?.[EXIT_CODE];
  return text === undefined ? undefined : Number(text) || 0;
}

export function initRunOf(pod: PodObject): { readonly ms: number; readonly exitCode: number } {
  const ms = asked(pod, INIT_RUNS_FOR);
  const exitCode = Number(pod.metadata.annotations?.[INIT_EXIT_CODE] ?? 0) || 0;
  return { ms: typeof ms === 'number' ? ms : 1000, exitCode };
}

/** Longest of all containers: hooks of one pod run beside each other. */
export function preStopMs(pod: PodObject): number {
  return Math.max(0, ...pod.spec.containers.map((container) => sleepOf(container, 'preStop')));
}

export function postStartMs(container: Container): number {
  return sleepOf(container, 'postStart');
}

/** A hook that runs a command fails where the command is `false`. */
export function postStartFails(container: Container): boolean {
  return hookOf(container, 'postStart')?.exec?.command?.at(-1) === 'false';
}

export function deadlineMs(pod: PodObject): number | undefined {
  const seconds = pod.spec['activeDeadlineSeconds'];
  return typeof seconds === 'number' ? seconds * 1000 : undefined;
}

interface Hook {
  readonly sleep?: { readonly seconds?: number };
  readonly exec?: { readonly command?: readonly string[] };
}

function hookOf(container: Container, name: 'postStart' | 'preStop'): Hook | undefined {
  return (container['lifecycle'] as Readonly<Record<string, Hook>> | undefined)?.[name];
}

function sleepOf(container: Container, name: 'postStart' | 'preStop'): number {
  return (hookOf(container, name)?.sleep?.seconds ?? 0) * 1000;
}

function asked(pod: PodObject, annotation: string): Asked {
  const text = pod.metadata.annotations?.[annotation];
  if (text === undefined) return undefined;
  const seconds = Number(text);
  return text === 'never' ? 'never' : seconds > 0 ? seconds * 1000 : undefined;
}
