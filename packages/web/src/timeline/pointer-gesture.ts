// What pointers do on the timeline: a machine of four states. Pure; times are those under the pointer.
//
//   idle ── one down on the plot ──▶ pressed ── moved by 4 px ──▶ dragging ── up ──▶ idle
//   idle ── one down on the axis, or with Alt ──▶ brushing ── up ──▶ idle (the brushed time is shown)
//   pressed, dragging ── second down ──▶ pinching ── one up ──▶ idle
//   pressed ── up ──▶ idle (a click)

export interface PointerAt {
  readonly id: number;
  readonly x: number;
  readonly y: number;
}

export type Gesture =
  | { readonly kind: 'idle' }
  | { readonly kind: 'pressed'; readonly first: PointerAt }
  | { readonly kind: 'dragging'; readonly last: PointerAt }
  | { readonly kind: 'brushing'; readonly first: PointerAt; readonly last: PointerAt }
  | { readonly kind: 'pinching'; readonly a: PointerAt; readonly b: PointerAt };

export type GestureEffect =
  | { readonly kind: 'none' }
  | { readonly kind: 'click'; readonly at: PointerAt }
  | { readonly kind: 'drag'; readonly dx: number; readonly dy: number }
  | { readonly kind: 'brush'; readonly from: number; readonly to: number }
  | { readonly kind: 'brushed'; readonly from: number; readonly to: number }
  | { readonly kind: 'pinch'; readonly before: readonly [number, number]; readonly after: readonly [number, number] };

export interface GestureStep {
  readonly gesture: Gesture;
  readonly effect: GestureEffect;
}

export const IDLE: Gesture = { kind: 'idle' };
const NONE: GestureEffect = { kind: 'none' };
const STILL_PX = 4;

export function pointerDown(gesture: Gesture, at: PointerAt, isBrush: boolean): GestureStep {
  if (gesture.kind === 'pressed' || gesture.kind === 'dragging') {
    const a = gesture.kind === 'pressed' ? gesture.first : gesture.last;
    return { gesture: { kind: 'pinching', a, b: at }, effect: NONE };
  }
  if (gesture.kind !== 'idle') return { gesture, effect: NONE };
  return {
    gesture: isBrush ? { kind: 'brushing', first: at, last: at } : { kind: 'pressed', first: at },
    effect: NONE,
  };
}

export function pointerMove(gesture: Gesture, at: PointerAt): GestureStep {
  switch (gesture.kind) {
    case 'idle':
      return { gesture, effect: NONE };
    case 'pressed': {
      const { first } = gesture;
      if (at.id !== first.id || Math.hypot(at.x - first.x, at.y - first.y) < STILL_PX) return { gesture, effect: NONE };
      return {
        gesture: { kind: 'dragging', last: at },
        effect: { kind: 'drag', dx: at.x - first.x, dy: at.y - first.y },
      };
    }
    case 'dragging': {
      const { last } = gesture;
      if (at.id !== last.id) return { gesture, effect: NONE };
      return {
        gesture: { kind: 'dragging', last: at },
        effect: { kind: 'drag', dx: at.x - last.x, dy: at.y - last.y },
      };
    }
    case 'brushing':
      if (at.id !== gesture.first.id) return { gesture, effect: NONE };
      return { gesture: { ...gesture, last: at }, effect: { kind: 'brush', from: gesture.first.x, to: at.x } };
    case 'pinching': {
      const { a, b } = gesture;
      if (at.id !== a.id && at.id !== b.id) return { gesture, effect: NONE };
      const after = at.id === a.id ? { a: at, b } : { a, b: at };
      return {
        gesture: { kind: 'pinching', ...after },
        effect: { kind: 'pinch', before: [a.x, b.x], after: [after.a.x, after.b.x] },
      };
    }
  }
}

/** `isCancelled`: the browser took the pointer, to scroll with it. */
export function pointerUp(gesture: Gesture, at: PointerAt, isCancelled: boolean): GestureStep {
  if (gesture.kind === 'idle' || isCancelled) return { gesture: IDLE, effect: NONE };
  if (gesture.kind === 'pressed') return { gesture: IDLE, effect: { kind: 'click', at } };
  if (gesture.kind === 'brushing') {
    const { first } = gesture;
    const isClick = Math.abs(at.x - first.x) < STILL_PX;
    return { gesture: IDLE, effect: isClick ? NONE : { kind: 'brushed', from: first.x, to: at.x } };
  }
  return { gesture: IDLE, effect: NONE };
}
