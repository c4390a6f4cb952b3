// Whether the page is seen: what asks again and again rests while it is not.
import { useEffect, useState } from 'preact/hooks';

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
  const [now, set] = useState(Date.now);
  useEffect(() => {
    if (!isVisible) return;
    set(Date.now());
    const timer = setInterval(() => set(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [isVisible, everyMs]);
  return now;
}
