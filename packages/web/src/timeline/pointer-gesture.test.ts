import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  type Gesture,
  type GestureEffect,
  IDLE,
  type PointerAt,
  pointerDown,
  pointerMove,
  pointerUp,
} from './pointer-gesture.ts';

type Step = readonly ['down' | 'brush' | 'move' | 'up' | 'cancel', id: number, x: number, y?: number];

function play(...steps: readonly Step[]): { readonly gesture: Gesture; readonly effects: GestureEffect[] } {
  let gesture: Gesture = IDLE;
  const effects: GestureEffect[] = [];
  for (const [what, id, x, y = 0] of steps) {
    const at: PointerAt = { id, x, y };
    const next =
      what === 'move'
        ? pointerMove(gesture, at)
        : what === 'down' || what === 'brush'
          ? pointerDown(gesture, at, what === 'brush')
          : pointerUp(gesture, at, what === 'cancel');
    gesture = next.gesture;
    if (next.effect.kind !== 'none') effects.push(next.effect);
  }
  return { gesture, effects };
}

test('a press that does not move is a click', () => {
  assert.deepEqual(play(['down', 1, 10], ['move', 1, 12], ['up', 1, 12]).effects, [
    { kind: 'click', at: { id: 1, x: 12, y: 0 } },
  ]);
});

test('a press that moves drags by all of the way, and is no click', () => {
  assert.deepEqual(play(['down', 1, 10], ['move', 1, 20], ['move', 1, 25, 5], ['up', 1, 25]).effects, [
    { kind: 'drag', dx: 10, dy: 0 },
    { kind: 'drag', dx: 5, dy: 5 },
  ]);
});

test('a brush ends with the time that it covers, unless it is a click', () => {
  assert.deepEqual(play(['brush', 1, 10], ['move', 1, 80], ['up', 1, 90]).effects, [
    { kind: 'brush', from: 10, to: 80 },
    { kind: 'brushed', from: 10, to: 90 },
  ]);
  assert.deepEqual(play(['brush', 1, 10], ['up', 1, 11]).effects, []);
});

test('a second finger pinches, and lifting one ends it', () => {
  const { gesture, effects } = play(['down', 1, 10], ['down', 2, 50], ['move', 2, 90], ['move', 3, 0], ['up', 1, 10]);
  assert.deepEqual(effects, [{ kind: 'pinch', before: [10, 50], after: [10, 90] }]);
  assert.equal(gesture.kind, 'idle');
});

test('what the browser takes away does nothing', () => {
  assert.deepEqual(play(['down', 1, 10], ['cancel', 1, 10]), { gesture: IDLE, effects: [] });
  assert.deepEqual(play(['brush', 1, 10], ['move', 1, 50], ['cancel', 1, 50]).effects.length, 1);
});
