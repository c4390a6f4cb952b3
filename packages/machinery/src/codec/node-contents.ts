// A digest of what lies on a node, its images and the volumes in use: a kubelet posts the node's status when that changes.
// They are too many to keep, and whether they changed is all that is asked.
import { type JsonObject, list, texts } from './json-reader.ts';
import { digestName, digestText, NOTHING_DIGESTED } from './name-digest.ts';
import type { ProtoReader } from './proto-reader.ts';

/** Of a node with nothing on it. */
export const NO_CONTENTS = NOTHING_DIGESTED;

/** One ContainerImage. */
export function digestImage(r: ProtoReader, outerTag: number, digest: number): number {
  const outer = r.enter(outerTag);
  let mixed = digest;
  while (r.pos < r.limit) {
    const tag = r.tag();
    if (tag >>> 3 === 1) mixed = digestName(r, tag, mixed);
    else r.skip(tag);
  }
  r.leave(outer);
  return mixed;
}

export function contentsFromJson(status: JsonObject): number {
  let digest = NO_CONTENTS;
  const add = (name: string): void => {
    digest = digestText(name, digest);
  };
  list(status, 'images', (image) => texts(image, 'names').forEach(add));
  texts(status, 'volumesInUse').forEach(add);
  return digest;
}
