// Lets a test feed an informer in place of the reflector: listings and events go in, the cache and its handlers do what
// they always do. No network.

import type { Informer } from '../informer/informer.ts';
import { targetOf } from '../informer/informer.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import type { ReflectionTarget } from '../reflector/reflection-target.ts';

export function feed<T extends Cacheable>(informer: Informer<T>): ReflectionTarget<T> {
  return targetOf(informer);
}
