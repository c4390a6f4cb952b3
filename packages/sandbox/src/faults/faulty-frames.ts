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
/** Odd, so that pieces end inside of numbers and characters; larger where there would be too many of them. */
const SHRED_BYTES = 7;
const MOST_SHREDS = 64;

export class FaultyFrames implements FrameFilter {
  readonly #options: FaultyFramesOptions;
  /** Undefined while everything passes at once. */
  #held: (() => void)[] | undefined;
  #dead = false;
  #slowMs = 0;
  /** Pieces of a frame are still to be sent: nothing may come between them. */
  #shredding = false;
  #stalls = 0;
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
    if (fault?.kind === 'shred') this.#shred(bytes, sink);
    else sink.send(bytes);
    if (fault?.kind === 'repeat') sink.send(bytes);
    const swapped = this.#swapped;
    this.#swapped = undefined;
    if (swapped !== undefined) this.#pass(() => sink.send(swapped.bytes));
    if (frame.type === 'BOOKMARK') return;
    this.#earlier.push(bytes);
    if (this.#earlier.length > REMEMBERED) this.#earlier.shift();
  }

  /** One piece at a time: what is written in one turn goes out as one. */
  #shred(bytes: Uint8Array, sink: FrameSink): void {
    const size = Math.max(SHRED_BYTES, Math.ceil(bytes.length / MOST_SHREDS) | 1);
    this.#held ??= [];
    this.#shredding = true;
    const send = (from: number) => {
      if (this.#dead) return;
      sink.send(bytes.subarray(from, from + size));
      if (from + size < bytes.length) {
        this.#options.timers.after(1, () => send(from + size));
        return;
      }
      this.#shredding = false;
      if (this.#stalls === 0) this.#release();
    };
    send(0);
  }

  #pass(act: () => void): void {
    if (this.#held === undefined) act();
    else this.#held.push(act);
  }

  #hold(ms: number): void {
    this.#held ??= [];
    this.#stalls++;
    this.#options.timers.after(ms, () => {
      this.#stalls--;
      this.#release();
    });
  }

  #release(): void {
    const held = this.#held;
    if (held === undefined || this.#shredding) return;
    if (this.#slowMs > 0) {
      held.shift()?.();
      // Whoever sends the last piece goes on.
      if (this.#shredding) return;
      if (held.length > 0) this.#options.timers.after(this.#slowMs, () => this.#release());
      else this.#held = undefined;
      return;
    }
    this.#held = undefined;
    // One of them may hold back the rest.
    for (const act of held) this.#pass(act);
  }
}
