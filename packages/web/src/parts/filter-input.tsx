// A field that filters what is shown: its value is a parameter of the URL, written a moment after the last letter.
import { useEffect, useRef, useState } from 'preact/hooks';
import { address, adjust } from '../address/location.ts';

const QUIET_MS = 250;

export function FilterInput({
  name,
  label,
  placeholder,
}: {
  readonly name: string;
  readonly label: string;
  readonly placeholder?: string;
}) {
  const value = address.value.parameters[name] ?? '';
  const [text, setText] = useState(value);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // Back and forward, and links, change it from outside.
  useEffect(() => setText(value), [value]);
  useEffect(() => () => clearTimeout(timer.current), []);
  const write = (next: string) => {
    clearTimeout(timer.current);
    adjust({ [name]: next.trim() === '' ? undefined : next.trim() });
  };
  return (
    <label class="filter">
      {label}{' '}
      <input
        type="search"
        value={text}
        placeholder={placeholder}
        autoComplete="off"
        spellcheck={false}
        onInput={({ currentTarget }) => {
          const next = currentTarget.value;
          setText(next);
          clearTimeout(timer.current);
          timer.current = setTimeout(() => write(next), QUIET_MS);
        }}
        onChange={({ currentTarget }) => write(currentTarget.value)}
      />
    </label>
  );
}
