// A small number for a text: to notice that something is not as it was without keeping what it was.

/** 29 bits (FNV-1a): leaves room for flags in a number that needs no heap object. */
export function digestOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash >>> 3;
}
