// Draws a component, and with it all that is below, again when one of the signals changes. The package that tracks by
// itself which component reads which signal is 1.1 KB of the page.
import { effect, type ReadonlySignal } from '@preact/signals-core';
import { useLayoutEffect, useState } from 'preact/hooks';

export function useSignals(...signals: readonly ReadonlySignal<unknown>[]): void {
  const [, redraw] = useState<unknown>();
  useLayoutEffect(() => effect(() => redraw(signals.map(({ value }) => value))), []);
}
