// JSON merge patch (RFC 7386): objects are merged, null removes, everything else replaces.
import { ownField, setOwnField } from '../../store/own-field.ts';
import { isObject, type JsonObject } from '../json-object.ts';

/** Never changes `target`; unchanged parts are shared with it. */
export function applyMergePatch(target: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const result: JsonObject = isObject(target) ? { ...target } : {};
  for (const [field, value] of Object.entries(patch)) {
    if (value === null) delete result[field];
    else setOwnField(result, field, applyMergePatch(ownField(result, field), value));
  }
  return result;
}
