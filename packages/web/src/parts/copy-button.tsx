// Puts a text on the clipboard and says so.
import { useState } from 'preact/hooks';

const SAID_MS = 2_000;

export function CopyButton({ text, children }: { readonly text: () => string; readonly children: string }) {
  const [said, say] = useState('');
  const copy = async () => {
    say((await copyText(text())) ? 'Copied' : 'Not copied: the browser does not allow it');
    setTimeout(() => say(''), SAID_MS);
  };
  return (
    <button type="button" onClick={() => void copy()}>
      {said === '' ? children : said}
      <span class="visually-hidden" role="status">
        {said}
      </span>
    </button>
  );
}

/** False where the browser does not allow it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
