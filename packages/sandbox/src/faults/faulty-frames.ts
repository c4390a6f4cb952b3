// The frames of one watch, as faults leave them. What is held back keeps its order with what comes after, as on one
// connection; bookmarks strike nothing but are held back with the rest.
import { expired } from '../api/api-status-error.ts';
import type { Frame, FrameFilter, FrameSink } from '../server/fault-seam.ts';
import type { Timers } from '../server/timers.ts';
import type { FrameFault } from './fault.ts';

export interface FaultyFramesOptions {
  readonly timers: Timers;
  /** The fault that strikes this frame, if one does. */
  readonly next: (frame: Frame) => FrameFault | undefined;
}

/** Longer than a frame's length may be, and no JSON. */
const GARBAGE = Uint8Array.from([0x7b, 0x22, 0xff, 0xfe, 0x00, 0x0a, 0x7b, 0x7d, 0x0a]);
const REMEMBERED = 16;

export class FaultyFrames implements FrameFilter {
  readonly #options: FaultyFramesOptions;
  /** Undefined while everything passes at once. */
  #held: (() => void)[] | undefined;
  #dead = false;
  #slowMs = 0;
  #swapped: Frame | undefined;
  #earlier: Uint8Array[] = [];

  constructor(options: FaultyFramesOptions) {
    this.#options = options;
  }

  frame(frame: Frame, sink: FrameSink): void {
    if (this.#dead) return;
    const fault = frame.type === 'BOOKMARK' || frame.type === 'ERROR' ? undefined : this.#options.next(frame);
    if (fault?.kind === 'stall') this.#hold(fault.ms);
    if (fault?.kind === 'slow') this.#slowMs = fault.ms;
    if (this.#slowMs > 0 && this.#held === undefined) this.#hold(this.#slowMs);
    this.#pass(() => this.#strike(frame, fault, sink));
  }

  closed(): void {
    this.#dead = true;
    this.#held = undefined;
  }

  #strike(frame: Frame, fault: FrameFault | undefined, sink: FrameSink): void {
    if (this.#dead) return;
    const { bytes } = frame;
    switch (fault?.kind) {
      case 'drop':
        return;
      case 'swap':
        this.#swapped = frame;
        return;
      case 'half-open':
        this.#dead = true;
        return;
      case 'truncate':
        sink.send(bytes.subarray(0, Math.max(1, bytes.length >> 1)));
        sink.end();
        return;
      case 'garbage':
        sink.send(GARBAGE);
        break;
      case 'cut':
        sink.cut();
        return;
      case 'end':
        sink.end();
        return;
      case 'expire-inside':
        sink.fail(
          expired(`too old resource version: ${frame.resourceVersion} (${Number(frame.resourceVersion) + 1})`).status,
        );
        return;
      case 'older':
        for (const old of this.#earlier.splice(0, 1)) sink.send(old);
        break;
      default:
    }
    if (fault?.kind === 'shred') for (let i = 0; i < bytes.length; i += 7) sink.send(bytes.subarray(i, i + 7));
    else sink.send(bytes);
    if (fault?.kind === 'repeat') sink.send(bytes);
    if (this.#swapped !== undefined) sink.send(this.#swapped.bytes);
    this.#swapped = undefined;
    if (frame.type === 'BOOKMARK') return;
    this.#earlier.push(bytes);
    if (this.#earlier.length > REMEMBERED) this.#earlier.shift();
  }

  #pass(act: () => void): void {
    if (this.#held === undefined) act();
    else this.#held.push(act);
  }

  #hold(ms: number): void {
    this.#held ??= [];
    this.#options.timers.after(ms, () => this.#release());
  }

  #release(): void {
    const held = this.#held;
    if (held === undefined) return;
    if (this.#slowMs > 0) {
      held.shift()?.();
      if (held.length > 0) this.#options.timers.after(this.#slowMs, () => this.#release());
      else this.#held = undefined;
      return;
    }
    this.#held = undefined;
    for (const act of held) act();
  }
}
