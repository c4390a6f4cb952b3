// What runs in the page while it is measured, as text: Node has no types of a document.

/** Marks that the timeline sets: its data is there, it is painted. Milliseconds since the page began to load. */
export const PAINTED = `(async () => {
  const at = (name) => performance.getEntriesByName(name).map(({ startTime }) => startTime);
  while (at('timeline:painted').length === 0) await new Promise((resolve) => requestAnimationFrame(resolve));
  const data = at('timeline:data')[0];
  const painted = at('timeline:painted').find((time) => time >= data);
  const answer = performance.getEntriesByType('resource').find(({ name }) => name.includes('/api/v1/timeline'));
  return { data, painted, answeredMs: answer.duration, answerBytes: answer.decodedBodySize };
})()`;

/**
 * A wheel that is turned at every frame: sideways there and back, then in and out, so that the time shown stays within
 * what was loaded. Resolves with the milliseconds between frames.
 */
export const wheel = (seconds: number): string => `(async () => {
  const stage = document.querySelector('.timeline-stage');
  const { left, top, width, height } = stage.getBoundingClientRect();
  const at = { clientX: left + width * 0.6, clientY: top + Math.min(height, innerHeight - top) * 0.5 };
  const turn = (deltas) => stage.dispatchEvent(new WheelEvent('wheel', { ...at, ...deltas, bubbles: true, cancelable: true }));
  const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
  const gaps = [];
  let before = await frame();
  const begun = before;
  for (let i = 0; before - begun < ${seconds} * 1000; i++) {
    const sign = i % 40 < 20 ? 1 : -1;
    turn(i % 80 < 40 ? { deltaX: 12 * sign } : { deltaY: -40 * sign });
    const now = await frame();
    gaps.push(now - before);
    before = now;
  }
  return gaps;
})()`;
