// Notices when the namespace that the operator runs in is being deleted: somebody uninstalls it. Its rights go moments
// later, and with them the last chance to let go of PodTrackers that would wait for it for ever.
import { type Informer, isObjectDelta, type MetadataOnlyView } from '@podtrail/machinery';

/** True as soon as it is being deleted or gone; false when the signal aborts first. */
export function isLeaving(
  namespaces: Pick<Informer<MetadataOnlyView>, 'addHandler'>,
  own: string,
  signal: AbortSignal,
): Promise<boolean> {
  return new Promise((resolve) => {
    if (signal.aborted) {
      resolve(false);
      return;
    }
    const registration = namespaces.addHandler({
      name: 'own namespace',
      onDelta: (delta) => {
        if (!isObjectDelta(delta) || delta.object.metadata.name !== own) return;
        if (delta.kind === 'deleted' || delta.object.metadata.deletionTimestamp !== undefined) settle(true);
      },
    });
    const onAbort = () => settle(false);
    const settle = (answer: boolean) => {
      signal.removeEventListener('abort', onAbort);
      registration.remove();
      resolve(answer);
    };
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
