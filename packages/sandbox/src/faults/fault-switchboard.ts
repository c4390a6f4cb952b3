// Where faults are armed and counted. The server asks it at every request and for every watch (server/fault-seam.ts);
// with nothing armed it lets everything pass. Faults of one server strike in the order in which they were armed.
import type { FaultSeam, Frame, FrameFilter, RequestVerdict, SeamRequest } from '../server/fault-seam.ts';
import { systemTimers, type Timers } from '../server/timers.ts';
import { type Fault, type FaultTarget, type FrameFault, isRequestFault, type RequestFault } from './fault.ts';
import { FaultyFrames } from './faulty-frames.ts';
import { verdictOf } from './request-verdict.ts';

export interface ArmedFault {
  readonly id: number;
  readonly fault: Fault;
  /** How often it has struck. */
  readonly struck: number;
  /** How often it will strike yet. */
  readonly left: number;
}

export interface SwitchboardOptions {
  /** For faults that strike by chance. */
  readonly random?: () => number;
  readonly timers?: Timers;
  /** Called with every strike: what struck, and which request or, of a watch, which event. */
  readonly onStrike?: (fault: Fault, request: SeamRequest, frame: Frame | undefined) => void;
}

interface Armed {
  readonly id: number;
  readonly fault: Fault;
  struck: number;
  left: number;
  passing: number;
}

export class FaultSwitchboard implements FaultSeam {
  readonly #random: () => number;
  readonly #timers: Timers;
  readonly #onStrike: SwitchboardOptions['onStrike'];
  readonly #armed = new Map<number, Armed>();
  #last = 0;

  constructor(options: SwitchboardOptions = {}) {
    this.#random = options.random ?? Math.random;
    this.#timers = options.timers ?? systemTimers;
    this.#onStrike = options.onStrike;
  }

  /** Returns its number, by which it can be taken back. */
  arm(fault: Fault): number {
    const id = ++this.#last;
    this.#armed.set(id, { id, fault, struck: 0, left: fault.times ?? 1, passing: fault.after ?? 0 });
    return id;
  }

  disarm(id: number): boolean {
    return this.#armed.delete(id);
  }

  clear(): void {
    this.#armed.clear();
  }

  /** Those that were armed and not taken back, used up or not. */
  get armed(): readonly ArmedFault[] {
    return [...this.#armed.values()].map(({ id, fault, struck, left }) => ({ id, fault, struck, left }));
  }

  readonly request = async (request: SeamRequest): Promise<RequestVerdict> => {
    for (const armed of [...this.#armed.values()]) {
      const { fault } = armed;
      if (!isRequestFault(fault) || !isMeant(fault, request) || !this.#strikes(armed)) continue;
      this.#onStrike?.(fault, request, undefined);
      const verdict = await this.#verdict(fault, request);
      if (verdict !== undefined) return verdict;
    }
    return undefined;
  };

  /** Every watch gets a filter: a fault may be armed while it is open. */
  readonly frames = (request: SeamRequest): FrameFilter =>
    new FaultyFrames({ timers: this.#timers, next: (frame) => this.#nextFrameFault(request, frame) });

  #nextFrameFault(request: SeamRequest, frame: Frame): FrameFault | undefined {
    for (const armed of this.#armed.values()) {
      const { fault } = armed;
      if (isRequestFault(fault) || !isMeant(fault, request) || !this.#strikes(armed)) continue;
      this.#onStrike?.(fault, request, frame);
      return fault;
    }
    return undefined;
  }

  #strikes(armed: Armed): boolean {
    if (armed.left <= 0) return false;
    if (armed.passing > 0) {
      armed.passing--;
      return false;
    }
    if (armed.fault.chance !== undefined && this.#random() >= armed.fault.chance) return false;
    armed.left--;
    armed.struck++;
    return true;
  }

  #verdict(fault: RequestFault, request: SeamRequest): Promise<RequestVerdict> | RequestVerdict {
    if (fault.kind !== 'delay') return verdictOf(fault, request);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#timers.after(fault.ms, () => resolve(undefined));
    return promise;
  }
}

function isMeant({ on, kind }: Fault, request: SeamRequest): boolean {
  // What strikes only watches needs not say so.
  if ((kind === 'wrong-body' || kind === 'close-at-once') && on?.verb === undefined && request.verb !== 'watch')
    return false;
  if (on === undefined) return request.resource !== '';
  const fields: readonly (keyof FaultTarget)[] = ['verb', 'resource', 'namespace', 'name'];
  return fields.every((field) => on[field] === undefined || on[field] === request[field]);
}
