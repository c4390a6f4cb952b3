// A member of a JSON object by its name, or by a path through objects and lists: `source.ip`, `sourceIPs[0]`.
import type { Members } from './row.ts';

/** Own members only: `constructor` and `__proto__` are names like others. */
export function memberAt(object: Members, path: string): unknown {
  if (Object.hasOwn(object, path)) return object[path];
  let value: unknown = object;
  for (const step of stepsOf(path)) {
    if (typeof step === 'number') {
      if (!Array.isArray(value)) return undefined;
      value = value.at(step);
    } else {
      if (!isObject(value) || !Object.hasOwn(value, step)) return undefined;
      value = value[step];
    }
  }
  return value;
}

/** `a.b[0]` is a, b, 0; a negative place counts from the end. */
function stepsOf(path: string): (string | number)[] {
  const steps: (string | number)[] = [];
  for (const part of path.split('.')) {
    const [, name = part, places = ''] = /^([^[\]]*)((?:\[-?\d+\])+)$/.exec(part) ?? [];
    if (name !== '') steps.push(name);
    for (const [, place] of places.matchAll(/\[(-?\d+)\]/g)) steps.push(Number(place));
  }
  return steps;
}

export function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
