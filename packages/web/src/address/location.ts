// The browser's URL as a signal: views read it, and change it by `go` (a new entry of the history) or `adjust` (the same
// entry: panning must not fill the history).
import { signal } from '../state/signal.ts';
import { type PageAddress, parseAddress, printAddress, withParameters } from './page-address.ts';

const here = () => parseAddress(location.pathname, location.search);

export const address = signal<PageAddress>(here());

addEventListener('popstate', () => {
  address.value = here();
});

export function go(to: PageAddress): void {
  const url = printAddress(to);
  if (url !== printAddress(address.peek())) history.pushState(null, '', url);
  address.value = to;
}

export function adjust(changes: Readonly<Record<string, string | undefined>>, isNewEntry = false): void {
  const to = withParameters(address.peek(), changes);
  if (isNewEntry) {
    go(to);
    return;
  }
  history.replaceState(null, '', printAddress(to));
  address.value = to;
}
