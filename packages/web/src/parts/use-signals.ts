// Draws a component, and with it all that is below, again when one of the signals changes.

import { useLayoutEffect, useState } from 'preact/hooks';
import type { ReadonlySignal } from '../state/signal.ts';

export function useSignals(...signals: readonly ReadonlySignal<unknown>[]): void {
  const [, redraw] = useState<unknown>();
  useLayoutEffect(() => {
    const ends = signals.map((one) => one.subscribe(() => redraw({})));
    return () => {
      for (const end of ends) end();
    };
  }, []);
}
