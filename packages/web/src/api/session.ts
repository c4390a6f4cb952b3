// Who asks. On the machine of the reader a cookie says it, and there is nothing to do here. In a cluster it is a token
// that the reader pastes: kept for this tab only, and sent to nobody but the server of the page.
import { signal } from '../state/signal.ts';

const KEY = 'podtrail-token';

export const token = signal<string | undefined>(read());
/** The server did not take what was sent, or nothing was. */
export const isSignedOut = signal(false);

export function signIn(text: string): void {
  const clean = text.trim();
  token.value = clean === '' ? undefined : clean;
  isSignedOut.value = false;
  try {
    if (clean === '') sessionStorage.removeItem(KEY);
    else sessionStorage.setItem(KEY, clean);
  } catch {
    // It lasts as long as the page.
  }
}

function read(): string | undefined {
  try {
    return sessionStorage.getItem(KEY) ?? undefined;
  } catch {
    return undefined;
  }
}
