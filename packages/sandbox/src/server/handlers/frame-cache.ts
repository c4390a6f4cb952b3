// Encodes an event once for all watches that deliver it. Only the newest event is kept: all watches get an
// event one after the other, and holding more would hold the history twice.
import type { StoreEvent } from '../../store/resource-table.ts';

export class FrameCache {
  #event: StoreEvent | undefined;
  readonly #frames = new Map<string, Uint8Array>();

  get(event: StoreEvent, form: string, encode: () => Uint8Array): Uint8Array {
    if (this.#event !== event) {
      this.#event = event;
      this.#frames.clear();
    }
    let frame = this.#frames.get(form);
    if (frame === undefined) {
      frame = encode();
      this.#frames.set(form, frame);
    }
    return frame;
  }
}
