// What a typed server says of a value that does not fit its field. There are two ways in, and each has words of its own:
// bodies, JSON patches and merge patches are decoded from JSON straight into Go's types; what a strategic merge patch
// made is a map by then, and is converted.

/** Go's sorts of types, as far as fields have them. */
export type GoKind = 'string' | 'int32' | 'int64' | 'bool' | 'float64' | 'map' | 'slice' | 'struct';

/** Where a value stands: the struct that has the field, and the names that lead there. */
export interface Place {
  readonly struct: string;
  readonly path: readonly string[];
}

export interface Words {
  /** `type` is the name of the type, which is of that kind. */
  unfit(found: unknown, kind: GoKind, type: string, place: Place): string;
  /** From a type that reads itself, such as a time, about what it expects inside. */
  unread(found: unknown, kind: GoKind, place: Place): string;
}

export const DECODING: Words = {
  unfit: (found, kind, type, place) =>
    `json: cannot unmarshal ${jsonWord(found, kind)} into ${fieldAt(place)} of type ${type}`,
  unread: (found, kind, place) =>
    `json: cannot unmarshal ${jsonWord(found, kind)} into ${fieldAt(place)} of type ${kind}`,
};

export const CONVERTING: Words = {
  unfit(found, kind, type) {
    const from = mapWord(found);
    if (kind === 'map' || kind === 'slice') return `cannot restore ${kind} from ${from}`;
    if (kind === 'struct') return `cannot restore struct from: ${from}`;
    // Go would turn a whole number into a text, and any number into a whole one: it says that JSON does not.
    const isConvertible =
      from === 'int64' ? kind === 'string' : from === 'float64' && kind !== 'string' && kind !== 'bool';
    return isConvertible ? `cannot convert ${from} to ${type}` : `unrecognized type: ${kind}`;
  },
  unread: (found, kind) => `json: cannot unmarshal ${jsonWord(found, kind)} into Go value of type ${kind}`,
};

function fieldAt({ struct, path }: Place): string {
  return `Go struct field ${struct}.${path.join('.')}`;
}

/** A number that only does not fit is reported with its digits. */
function jsonWord(found: unknown, kind: GoKind): string {
  if (Array.isArray(found)) return 'array';
  if (typeof found === 'boolean') return 'bool';
  if (typeof found === 'number' && (kind === 'int32' || kind === 'int64')) return `number ${found}`;
  return typeof found;
}

/** The sorts of values that a map from JSON holds. */
function mapWord(found: unknown): string {
  if (Array.isArray(found)) return 'slice';
  if (typeof found === 'object') return 'map';
  if (typeof found === 'boolean') return 'bool';
  return typeof found === 'number' ? (Number.isInteger(found) ? 'int64' : 'float64') : typeof found;
}
