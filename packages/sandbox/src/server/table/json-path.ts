// The simple JSON paths of printer columns: `.spec.a`, `.status.list[0].name`, `.items[?(@.type=="Ready")].status`.
// Wider expressions read as missing.
import { isObject } from '../../api/json-object.ts';
import { ownField } from '../../store/own-field.ts';

export function jsonPathValue(object: unknown, path: string): unknown {
  let here: readonly unknown[] = [object];
  for (const step of path.match(STEPS) ?? []) here = here.flatMap((value) => take(value, step));
  return here[0];
}

const STEPS = /\['[^']*'\]|\[\?\(.*?\)\]|\[(?:\d+|\*)\]|(?:\\.|[^.[\]\\])+/g;

function take(value: unknown, step: string): unknown[] {
  const filter = /^\[\?\(@\.([\w.]+)\s*==\s*["'](.*)["']\)\]$/.exec(step);
  if (filter !== null) {
    const [, field = '', wanted] = filter;
    return Array.isArray(value) ? value.filter((item) => String(jsonPathValue(item, `.${field}`)) === wanted) : [];
  }
  const index = /^\[(\d+|\*)\]$/.exec(step)?.[1];
  if (index !== undefined) {
    if (!Array.isArray(value)) return [];
    return index === '*' ? value : value.slice(Number(index), Number(index) + 1);
  }
  const field = step.replace(/^\['|'\]$/g, '').replace(/\\(.)/g, '$1');
  const found = isObject(value) ? ownField(value, field) : undefined;
  return found === undefined ? [] : [found];
}
