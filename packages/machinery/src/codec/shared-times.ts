// One heap number for equal times: the conditions, the start and the creation of a pod fall into a few seconds, and
// each number too large for V8's small integers costs an object. Called by the protobuf reader.

const SLOTS = 1024;
// Holds `undefined` from the start, so that the array keeps references to numbers rather than bare doubles.
const times: (number | undefined)[] = new Array<number | undefined>(SLOTS).fill(undefined);
const keys = new Float64Array(SLOTS).fill(Number.NaN);

/** `seconds` since the epoch, in milliseconds. */
export function sharedTime(seconds: number): number | undefined {
  const slot = seconds & (SLOTS - 1);
  if (keys[slot] === seconds) return times[slot];
  keys[slot] = seconds;
  return (times[slot] = seconds * 1000);
}
