// The key of a pod in an hourly ConfigMap: namespace_podname. Neither part may contain an underscore, so the key is
// unambiguous. Pure.
import { createHash } from 'node:crypto';

/** What the API server accepts as a key of a ConfigMap. */
const LONGEST_KEY = 253;
const VALID = /^(?!\.{1,2}$|\.\.)[-._a-zA-Z0-9]{1,253}$/;
const HASH_DIGITS = 16;

/**
 * A namespace of 63 and a name of 253 characters together are longer than a key may be. Such a key is cut and closed
 * with an underscore and a hash of the whole, so that it stays the same each time and no two pods share one.
 */
export function mappingKey(namespace: string, name: string): string {
  const key = `${namespace}_${name}`;
  if (VALID.test(key)) return key;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, HASH_DIGITS);
  const kept = key.slice(0, LONGEST_KEY - HASH_DIGITS - 1).replace(/[^-._a-zA-Z0-9]/g, '-');
  return `${kept.replace(/^\.+/, '-')}_${hash}`;
}
