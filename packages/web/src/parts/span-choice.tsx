// Which time is shown: one of the usual ones, or from and until as somebody writes them. Kept in the URL.
import { useState } from 'preact/hooks';
import { address, adjust } from '../address/location.ts';
import { InstantInput } from './instant-input.tsx';

const USUAL: Readonly<Record<string, string>> = {
  '15m': 'Last 15 minutes',
  '1h': 'Last hour',
  '6h': 'Last 6 hours',
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
};

export function SpanChoice({ otherwise }: { readonly otherwise: string }) {
  const { since = otherwise, until } = address.value.parameters;
  const isUsual = until === undefined && Object.hasOwn(USUAL, since);
  const [isOpen, open] = useState(false);
  const isShown = isOpen || !isUsual;
  const choose = (value: string) => {
    open(value === '');
    if (value !== '') adjust({ since: value === otherwise ? undefined : value, until: undefined }, true);
  };
  return (
    <>
      <label>
        <span class="visually-hidden">Time</span>
        <select value={isShown ? '' : since} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          {Object.entries(USUAL).map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
          <option value="">From … until …</option>
        </select>
      </label>
      {isShown && (
        <>
          <InstantInput name="since" label="From" value={since} />
          <InstantInput name="until" label="Until" value={until ?? 'now'} />
        </>
      )}
    </>
  );
}
