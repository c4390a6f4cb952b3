// Whether the page is seen: what asks again and again rests while it is not.

import { useEffect, useState } from 'preact/hooks';
import { serverNow } from '../times/server-clock.ts';

export function useVisible(): boolean {
  const [isVisible, set] = useState(document.visibilityState === 'visible');
  useEffect(() => {
    const look = () => set(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', look);
    return () => document.removeEventListener('visibilitychange', look);
  }, []);
  return isVisible;
}

/** Now, again every so often; a value that is not looked at does not change. */
export function useNow(everyMs: number): number {
  const isVisible = useVisible();
  const [now, set] = useState(serverNow);
  useEffect(() => {
    if (!isVisible) return;
    set(serverNow());
    const timer = setInterval(() => set(serverNow()), everyMs);
    return () => clearInterval(timer);
  }, [isVisible, everyMs]);
  return now;
}
