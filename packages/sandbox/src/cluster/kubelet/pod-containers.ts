// All containers of one pod: those that initialise it and those that run. What they say together of the pod's phase.
import type { Container, PodObject, PodPhase } from '../pod-object.ts';
import {
  type ContainerRun,
  type Ending,
  endContainer,
  forgetContainer,
  newContainer,
  showLastEnding,
  waitFor,
} from './container-run.ts';

export class PodContainers {
  readonly inits: readonly ContainerRun[];
  readonly mains: readonly ContainerRun[];
  /** Running in a sandbox that is no more: to be started again in the next one. */
  readonly #stranded = new Set<ContainerRun>();

  constructor(pod?: PodObject) {
    const inits = (pod?.spec['initContainers'] ?? []) as readonly Container[];
    const waiting = inits.length > 0 ? 'PodInitializing' : 'ContainerCreating';
    this.inits = inits.map(({ name, image }) => newContainer(name, image, waiting));
    this.mains = (pod?.spec.containers ?? []).map(({ name, image }) => newContainer(name, image, waiting));
  }

  get isAnyUp(): boolean {
    return this.mains.some(isUp);
  }

  get hasAnyBegun(): boolean {
    return this.mains.some(({ id }) => id !== undefined);
  }

  get areAllOver(): boolean {
    return this.mains.every(({ state }) => state.terminated !== undefined);
  }

  get phaseAtEnd(): PodPhase {
    const ends = this.mains.map(({ state, lastState }) => state.terminated ?? lastState.terminated);
    return ends.length > 0 && ends.every((end) => end?.exitCode === 0) ? 'Succeeded' : 'Failed';
  }

  endAll(ending: Ending, now: number): void {
    for (const container of [...this.inits, ...this.mains]) endContainer(container, ending, now);
  }

  strand(): void {
    for (const container of this.mains) if (isUp(container)) this.#stranded.add(container);
  }

  /** Whether it was stranded; from now on it is not. */
  takeStranded(container: ContainerRun): boolean {
    return this.#stranded.delete(container);
  }

  /** Whoever waits to be started again ended before. False where none does. */
  showLastEndings(): boolean {
    return this.mains.map(showLastEnding).includes(true);
  }

  /** After an eviction the runtime has lost them: they look as if they were being created again. */
  lookCreated(): void {
    for (const container of this.mains) waitFor(container, 'ContainerCreating', container.restarts + 1);
  }

  /** Those of which the runtime has no trace are shown as unknown, unless they waited for init containers. */
  loseTrace(): void {
    if (this.inits.length === 0) for (const container of this.mains) forgetContainer(container);
  }
}

export function isUp({ state }: ContainerRun): boolean {
  return state.running !== undefined;
}
